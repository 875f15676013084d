/** The fonts of the browsers. Users can have any; the tests have a wide and a narrow one. */

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

const resolve = createRequire(import.meta.url).resolve;

/** Font families with their files, by width. */
export const FONTS = {
    wide: {
        family: "DejaVu Sans",
        files: ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map((file) => `dejavu-fonts-ttf/ttf/${file}`),
    },
    narrow: {
        family: "Roboto Condensed",
        files: ["400Regular/RobotoCondensed_400Regular.ttf", "700Bold/RobotoCondensed_700Bold.ttf"]
            .map((file) => `@expo-google-fonts/roboto-condensed/${file}`),
    },
};

/** Creates a folder with this font. Returns the environment of a browser that has only this font. */
export function only({ family, files }, folder) {
    mkdirSync(folder, { recursive: true });
    for (const file of files) copyFileSync(resolve(file), join(folder, basename(file)));
    const config = join(folder, "fonts.conf");
    writeFileSync(config, `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
    <dir>${folder}</dir>
    <cachedir>${join(folder, "cache")}</cachedir>
    <match><edit name="family" mode="assign_replace"><string>${family}</string></edit></match>
</fontconfig>
`);
    return { ...process.env, FONTCONFIG_FILE: config };
}
