/**
 * Short messages about completed actions, with an Undo button where possible.
 *
 * @module
 */

/** A message. */
export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: "neutral" | "bad"
  /** Undoes the action; null if it cannot be undone or does not need to be. */
  readonly undo: (() => void) | null
}

/** How long a message stays, in milliseconds: longer with an Undo button. */
export const toastMillis = { plain: 5_000, undo: 10_000 }

/** The most messages shown at the same time. */
const maxToasts = 3

let toasts: ReadonlyArray<Toast> = []
let last = 0
const listeners = new Set<() => void>()

const set = (next: ReadonlyArray<Toast>): void => {
  toasts = next
  for (const listener of listeners) listener()
}

/** Shows a message. */
export const toast = (
  text: string,
  {
    tone = "neutral",
    undo = null
  }: { readonly undo?: (() => void) | null; readonly tone?: Toast["tone"] } = {}
): void => {
  last += 1
  set([...toasts.slice(1 - maxToasts), { id: last, text, tone, undo }])
}

/** Removes a message. */
export const dismissToast = (id: number): void => set(toasts.filter((one) => one.id !== id))

/** The messages, for `useSyncExternalStore`. */
export const currentToasts = (): ReadonlyArray<Toast> => toasts

/** Subscribes to the messages. */
export const subscribeToasts = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
