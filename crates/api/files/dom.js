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

/** Moves an element before another one. Where the browser cannot move it without removing it, the focus is set again. */
export function put(list, moved, before) {
    const focused = document.activeElement;
    if (list.moveBefore && moved.parentNode === list) list.moveBefore(moved, before);
    else list.insertBefore(moved, before);
    if (focused !== document.activeElement && moved.contains(focused)) focused.focus({ preventScroll: true });
}

const keyOf = (node) => node?.dataset?.key;

/**
 * Shows children in an element that is drawn again and again. What has not changed stays, with its focus, its selection
 * and what was typed into it. A child with a `data-key` is that of before with this key, another one that of its index.
 * What stays keeps its listeners: only for children whose listeners do not differ.
 */
export function renew(target, ...children) {
    const all = [...target.childNodes];
    const keyed = new Map(all.map((child) => [keyOf(child), child]));
    // A move would end the selection: the others move around it.
    const { isCollapsed, anchorNode } = getSelection();
    const fixed = isCollapsed ? undefined : all.find((child) => child.contains(anchorNode));
    let at = target.firstChild;
    for (const child of children) {
        const before = keyOf(child) === undefined ? at : keyed.get(keyOf(child));
        if (before?.nodeName !== child.nodeName || keyOf(before) !== keyOf(child)) {
            target.insertBefore(child, at);
            continue;
        }
        while (before === fixed && at !== fixed) {
            const next = at.nextSibling;
            put(target, at, null);
            at = next;
        }
        if (before === at) at = at.nextSibling;
        else put(target, before, at);
        if (!before.isEqualNode(child)) become(before, child);
    }
    while (at !== null) {
        const next = at.nextSibling;
        at.remove();
        at = next;
    }
}

function become(shown, wanted) {
    if (shown.nodeType === Node.TEXT_NODE) {
        shown.data = wanted.data;
        return;
    }
    for (const name of shown.getAttributeNames()) if (!wanted.hasAttribute(name)) shown.removeAttribute(name);
    for (const { name, value } of wanted.attributes) {
        if (shown.getAttribute(name) === value) continue;
        // The policy of the pages blocks the attribute.
        if (name === "style") shown.style.cssText = value;
        else shown.setAttribute(name, value);
    }
    renew(shown, ...wanted.childNodes);
}

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether animations are allowed: not in a hidden tab, nor with reduced motion. */
export function mayMove() {
    return document.visibilityState === "visible" && !stillness.matches;
}
