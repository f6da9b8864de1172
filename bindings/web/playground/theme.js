// Light or dark: as the system has it, or as the reader chose. The page's colors are in style.css, the picture's here.
const PICTURE = {
    dark: {
        background: [0.043, 0.055, 0.08],
        glowColor: [1.0, 0.62, 0.2],
        seenColor: [0.5, 1.25, 1.1],
        ambient: [0.34, 0.37, 0.44],
        haloCover: 0,
    },
    light: {
        background: [0.925, 0.941, 0.953],
        glowColor: [0.95, 0.33, 0.06],
        seenColor: [0.0, 0.62, 0.36],
        ambient: [0.5, 0.52, 0.56],
        haloCover: 1,
    },
};

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function themeOf(choice) {
    if (choice !== "system") return choice;
    return systemIsDark.matches ? "dark" : "light";
}

/** Gives the page its theme, and returns the colors of the picture. */
export function useTheme(choice) {
    const theme = themeOf(choice);
    document.documentElement.dataset.theme = theme;
    return PICTURE[theme];
}

/** The choice that turns what is seen now into the other one. */
export function otherTheme(choice) {
    return themeOf(choice) === "dark" ? "light" : "dark";
}

export function onSystemTheme(changed) {
    systemIsDark.addEventListener("change", changed);
}
