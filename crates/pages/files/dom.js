/** DOM elements. Text is only inserted as text nodes, so that no name is parsed as markup. */

/** Creates an element with attributes (including `class`) and children: elements or text. */
export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== null && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Creates an element of a drawing. */
export function drawn(name, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

/** Returns the page's element with this id. */
export function byId(id) {
    return document.getElementById(id);
}

/** Wraps a foreign text, so that its direction does not affect the text around it. */
export function foreign(text) {
    const made = element("bdi", { dir: "auto" });
    made.textContent = text;
    return made;
}

/** Sets text only if it differs, to avoid a layout. */
export function setText(target, text) {
    if (target.textContent !== text) target.textContent = text;
}

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether animations are allowed: not in a hidden tab, nor with reduced motion. */
export function mayMove() {
    return document.visibilityState === "visible" && !stillness.matches;
}
