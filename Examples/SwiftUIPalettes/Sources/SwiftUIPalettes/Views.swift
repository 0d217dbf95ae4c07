#if canImport(SwiftUI)
    import EmojiArtModel
    import SwiftUI

    /// The current palette, and a button with a menu of the others.
    struct PaletteChooser: View {
        @Environment(PaletteScreen.self) private var screen
        @State private var isEditing = false
        @State private var isManaging = false

        var body: some View {
            HStack {
                chooser
                Text(screen.current.name)
                ScrollingEmojis(emojis: screen.current.emojis)
            }
            .clipped()
            .sheet(isPresented: $isEditing) {
                PaletteEditor(store: screen.store, id: screen.current.id)
            }
            .sheet(isPresented: $isManaging) {
                PaletteManager()
            }
            .alert(
                "Palettes",
                isPresented: Binding {
                    screen.message != nil
                } set: {
                    if !$0 { screen.message = nil }
                }
            ) {
                Button("OK") {}
            } message: {
                Text(screen.message ?? "")
            }
        }

        private var chooser: some View {
            Button {
                withAnimation { screen.showNext() }
            } label: {
                Image(systemName: "paintpalette")
            }
            .contextMenu {
                Menu("Go To") {
                    ForEach(screen.store.palettes) { palette in
                        Button(palette.name) { screen.show(palette.id) }
                    }
                }
                Button("New", systemImage: "plus") { screen.insertNew() }
                Button("Delete", systemImage: "minus.circle", role: .destructive) { screen.deleteCurrent() }
                Button("Edit", systemImage: "pencil") { isEditing = true }
                Button("Manage", systemImage: "list.bullet.rectangle.portrait") { isManaging = true }
            }
        }
    }

    /// A row of emoji, each of which can be dragged.
    struct ScrollingEmojis: View {
        let emojis: [String]

        var body: some View {
            ScrollView(.horizontal) {
                HStack {
                    ForEach(emojis, id: \.self) { emoji in
                        Text(emoji).draggable(emoji)
                    }
                }
            }
        }
    }

    /// The name of a palette and its emoji; a tap removes one.
    struct PaletteEditor: View {
        @Environment(PaletteScreen.self) private var screen
        let store: PaletteStore
        let id: Palette.ID
        @State private var name = ""
        @State private var addition = ""
        @FocusState private var field: PaletteField?

        init(store: PaletteStore, id: Palette.ID) {
            self.store = store
            self.id = id
        }

        var body: some View {
            Form {
                if let palette = screen.palette(id, in: store) {
                    Section("Name") {
                        TextField("Name", text: $name)
                            .focused($field, equals: .name)
                            .onSubmit { screen.rename(id, to: name, in: store) }
                    }
                    Section("Emojis") {
                        TextField("Add Emojis Here", text: $addition)
                            .focused($field, equals: .addition)
                            .onSubmit {
                                screen.add(addition, to: id, in: store)
                                addition = ""
                            }
                        LazyVGrid(columns: [GridItem(.adaptive(minimum: 40))]) {
                            ForEach(palette.emojis, id: \.self) { emoji in
                                Text(emoji).onTapGesture {
                                    withAnimation { screen.remove(emoji, from: id, in: store) }
                                }
                            }
                        }
                    }
                } else {
                    Text("This palette was deleted.")
                }
            }
            .onAppear {
                name = screen.palette(id, in: store)?.name ?? ""
                field = PaletteField.first(forName: name)
            }
        }
    }

    /// The palettes of a store: delete, move, edit.
    struct PaletteListView: View {
        @Environment(PaletteScreen.self) private var screen
        let store: PaletteStore

        init(store: PaletteStore) {
            self.store = store
        }

        var body: some View {
            List {
                ForEach(store.palettes) { palette in
                    NavigationLink(value: palette.id) {
                        VStack(alignment: .leading) {
                            Text(palette.name)
                            Text(palette.emojis.joined()).lineLimit(1)
                        }
                    }
                }
                .onDelete { indices in
                    withAnimation { screen.delete(at: Array(indices), from: store) }
                }
                .onMove { indices, place in
                    // A list drags one row at a time.
                    if let index = indices.first { screen.move(from: index, before: place, in: store) }
                }
            }
            .navigationDestination(for: Palette.ID.self) { id in
                PaletteEditor(store: store, id: id)
            }
            .navigationTitle("\(store.name) Palettes")
        }
    }

    /// The list of stores, beside the palettes of the selected one.
    struct PaletteManager: View {
        @Environment(PaletteScreen.self) private var screen
        @State private var storeName: String?

        var body: some View {
            NavigationSplitView {
                List(screen.stores.stores, selection: $storeName) { store in
                    Text(store.name)
                }
            } detail: {
                NavigationStack {
                    if let store = screen.stores.stores.first(where: { $0.name == storeName }) {
                        PaletteListView(store: store)
                    } else {
                        Text("Choose a store")
                    }
                }
                .id(storeName)
            }
        }
    }

    /// A document's background: a spinner, the picture, or an alert with a retry button.
    struct BackgroundView<Picture: View>: View {
        let actions: BackgroundActions
        /// Draws the background's picture.
        let picture: (BackgroundPicture) -> Picture
        @State private var isAlertShown = false

        init(actions: BackgroundActions, @ViewBuilder picture: @escaping (BackgroundPicture) -> Picture) {
            self.actions = actions
            self.picture = picture
        }

        var body: some View {
            content
                .onChange(of: actions.screen, initial: true) { _, screen in
                    if case .alert = screen { isAlertShown = true } else { isAlertShown = false }
                }
                .alert(BackgroundState.alertTitle, isPresented: $isAlertShown) {
                    Button("Retry") { actions.retry() }
                    Button("Cancel", role: .cancel) {}
                } message: {
                    if case .alert(_, let message) = actions.screen { Text(message) }
                }
        }

        @ViewBuilder private var content: some View {
            switch actions.screen {
            case .progress(.some(let fraction)): ProgressView(value: fraction)
            case .progress(.none): ProgressView()
            case .picture(let shown): picture(shown)
            case .blank, .alert: Color.white
            }
        }
    }

    /// The app: the model is `@State`, and every view reads it from the environment.
    struct PalettesApp: App {
        @State private var screen = PaletteScreen(stores: Program.stores)
        @Environment(\.scenePhase) private var phase

        var body: some Scene {
            WindowGroup {
                PaletteChooser()
                    .environment(screen)
                    .task { await screen.open() }
            }
            .onChange(of: phase) { _, phase in
                if phase == .background { Task { await screen.save() } }
            }
        }
    }
#endif
