/**
 * The texts of the user's own passkeys and tokens in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const personalEn = {
  passkeys: {
    title: "Passkeys",
    text: "Sign in with your fingerprint, face or screen lock instead of a password. A passkey counts as two factors.",
    none: "No passkeys yet. Add one on each device you sign in from.",
    unsupported: "This browser does not support passkeys.",
    add: "Add a passkey",
    addText: "Your browser asks for your fingerprint, face or screen lock next.",
    name: "Name",
    nameHint: "Such as the name of the device.",
    already: "This device already has a passkey of yours.",
    added: "Passkey added",
    created: "Added",
    used: "Last used",
    unused: "never used",
    rename: "Rename",
    renamed: "Passkey renamed",
    remove: "Remove",
    removeTitle: (name: string) => `Remove ${name}?`,
    removeText: (left: number, others: number) =>
      `You can no longer sign in with it; ${left === 0 ? "no other passkey is" : `${left} other ${plural(left, "passkey is", "passkeys are")}`} left. ${others} other ${plural(others, "session is", "sessions are")} signed out. Remove it from your device too.`,
    removed: "Passkey removed"
  },
  personalTokens: {
    text: "For programs that act as you, such as the command line. They stop working when your account is disabled.",
    none: "No tokens yet. The command svc login creates one for the command line automatically.",
    add: "Create a token",
    addText: "The token acts as you, within the rights you choose.",
    rights: "Rights",
    everything: "All my rights",
    chosen: "Selected rights",
    choose: "Choose at least one right.",
    expires: "Expires",
    used: "Last used",
    unused: "never used"
  }
}
