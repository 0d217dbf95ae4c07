/// Pages that ask the user for something.
extension Routes {
    func addDialogs() {
        self.page("/alert", HTML.page("Alert", onLoad: "alert('Hello');"))
        self.page("/alerts", HTML.page("Alerts", onLoad: "for (let i = 1; i <= 50; i++) alert(`Alert ${i}`);"))
        self.page(
            "/confirm",
            HTML.page(
                "Confirm", onLoad: "document.getElementById('answer').textContent = String(confirm('Sure?'));",
                "<p id='answer'>unanswered</p>"))
        self.page(
            "/prompt",
            HTML.page(
                "Prompt",
                onLoad: "document.getElementById('answer').textContent = String(prompt('Name?', 'default'));",
                "<p id='answer'>unanswered</p>"))
        // Chromium asks only after the user has clicked or typed.
        self.page(
            "/beforeunload",
            HTML.page(
                "Before unload", onLoad: "addEventListener('beforeunload', e => { e.preventDefault(); });",
                "<p><input id='field'><a id='away' href='/plain'>Away</a></p>"))
        self.page("/popup", HTML.page("Popup", onLoad: "window.open('/plain?popup');"))
        self.page("/print-on-load", HTML.page("Print on load", onLoad: "print();"))
        self.page(
            "/permission",
            HTML.page(
                "Permission",
                onLoad: """
                    const say = text => document.getElementById('answers').append(text + '; ');
                    navigator.geolocation.getCurrentPosition(() => say('place'), e => say('no place ' + e.code));
                    Notification.requestPermission().then(answer => say('notifications ' + answer));
                    """,
                "<p id='answers'></p>"))
    }
}
