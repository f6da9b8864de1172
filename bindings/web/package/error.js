// What calls throw.

// By bp_status.
const names = ["ok", "argument", "box", "id", "memory", "capacity", "unsupported", "internal"];

export class BroadphaseError extends Error {
    constructor(status, sentence, options) {
        super(sentence, options);
        this.name = "BroadphaseError";
        this.status = status;
    }
}

export const statusName = (number) => names[number] ?? "internal";

export const refuse = (sentence) => new BroadphaseError("argument", sentence);

export const shown = (value) => {
    if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
    if (typeof value === "bigint") return `${value}n`;
    return typeof value === "object" && value !== null ? `a ${value.constructor?.name ?? "object"}` : String(value);
};
