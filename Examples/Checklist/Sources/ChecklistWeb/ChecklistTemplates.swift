import ChecklistModel
import Site

/// Renders lists as HTML.
struct ChecklistTemplates: Sendable {
    private let templates: Templates

    /// - Throws: An error that describes an invalid template.
    init() throws {
        templates = try Templates([
            "page": PackageResources.page_mustache, "lists": PackageResources.lists_mustache,
        ])
    }

    /// The content of the page.
    func page(_ lists: Checklists) -> HTML {
        templates.render("page", ["lists": self.lists(lists)])
    }

    /// The part of the page that changes.
    func lists(_ lists: Checklists) -> HTML {
        var views: [ListView] = []
        for item in lists.items {
            if let index = views.firstIndex(where: { $0.name == item.list }) {
                views[index].items.append(item)
            } else {
                views.append(ListView(name: item.list, items: [item]))
            }
        }
        return templates.render("lists", ["lists": views])
    }
}

/// A list's values in a template, which also uses the properties of items.
private struct ListView {
    let name: String
    var items: [Item]
}
