/**
 * The texts of the user's own passkeys and tokens in English.
 *
 * @module
 */

/** The texts. */
export const personalEn = {
  passkeys: {
    title: "Passkeys",
    text: "Sign in with your fingerprint, face or screen lock instead of a password. A passkey counts as two factors.",
    none: "No passkey yet. Add one on each device that you sign in on.",
    unsupported: "This browser has no passkeys.",
    add: "Add a passkey",
    addText: "Your browser asks for your fingerprint, face or screen lock next.",
    name: "Name",
    nameHint: "Such as the device it is on.",
    already: "This device already has a passkey of yours.",
    added: "Passkey added",
    created: "Added",
    used: "Last used",
    unused: "not used yet",
    rename: "Rename",
    renamed: "Passkey renamed",
    remove: "Remove",
    removeTitle: (name: string) => `Remove ${name}?`,
    removeText:
      "You cannot sign in with it any more, and your other sessions end. Remove it from your device too.",
    removed: "Passkey removed"
  },
  personalTokens: {
    text: "Secrets with which programs act as you, such as the command line. They end with your account.",
    none: "No token yet. `svc login` makes one for the command line by itself.",
    add: "Create a token",
    addText: "Whoever has it may do what you may, within the rights you choose.",
    rights: "Rights",
    everything: "Everything that I may do",
    chosen: "Only some rights",
    choose: "Choose at least one right.",
    expires: "Expires",
    used: "Last used",
    unused: "not used yet"
  }
}
