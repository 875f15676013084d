/** Elements. Text goes in as text nodes alone, so that no name is ever read as markup. */

/** An element with attributes (`class` among them) and children: elements, or text. */
export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== null && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

/** The element of the page with this id. */
export function byId(id) {
    return document.getElementById(id);
}

/** Somebody else's text, kept from turning the direction of what is around it. */
export function foreign(text) {
    const made = element("bdi", { dir: "auto" });
    made.textContent = text;
    return made;
}

/** Sets text only where it differs: what is the same costs no layout. */
export function setText(target, text) {
    if (target.textContent !== text) target.textContent = text;
}

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether anything may move: nobody sees it in a hidden tab, and some do not want to. */
export function mayMove() {
    return document.visibilityState === "visible" && !stillness.matches;
}
