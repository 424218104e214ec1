/**
 * Matches the keys pressed with the keyboard shortcuts.
 *
 * @module
 */

/** A shortcut: successive keys such as `g p`, or `mod+k` for Ctrl or Cmd with a key. */
export interface Shortcut {
  readonly keys: string
  readonly run: () => void
}

/** A key that was pressed. */
export interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  /** Whether the key was typed into a field. */
  readonly isTyping: boolean
}

/** How long after a key of a sequence the next one counts, in milliseconds. */
export const sequenceMillis = 1_200

const nameOf = ({ ctrlKey, key, metaKey }: Pressed): string =>
  ctrlKey || metaKey ? `mod+${key.toLowerCase()}` : key.length === 1 ? key.toLowerCase() : key

/**
 * What a key does after the previous ones: runs a shortcut, continues a sequence, or neither.
 *
 * @param before the keys of the sequence so far, `""` for none
 */
export const press = <S extends Pick<Shortcut, "keys">>(
  shortcuts: ReadonlyArray<S>,
  before: string,
  pressed: Pressed
): { readonly found: S | null; readonly begun: string } => {
  const none = { found: null, begun: "" }
  const name = nameOf(pressed)
  if (pressed.altKey || (pressed.isTyping && !name.startsWith("mod+"))) return none
  for (const keys of before === "" ? [name] : [`${before} ${name}`, name]) {
    const found = shortcuts.find((one) => one.keys === keys)
    if (found !== undefined) return { found, begun: "" }
    if (shortcuts.some((one) => one.keys.startsWith(`${keys} `))) return { found: null, begun: keys }
  }
  return none
}
