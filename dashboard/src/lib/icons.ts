/**
 * The icons of `dashboard/src/icons`.
 *
 * @module
 */
/** The names of the icons. */
export const iconNames = [
  "block",
  "campaign",
  "chart",
  "check",
  "clock",
  "close",
  "code",
  "copy",
  "down",
  "download",
  "email",
  "external",
  "filter",
  "flow",
  "globe",
  "home",
  "inbox",
  "info",
  "key",
  "language",
  "left",
  "lock",
  "menu",
  "moon",
  "more",
  "people",
  "plus",
  "redo",
  "retry",
  "right",
  "search",
  "server",
  "settings",
  "signout",
  "store",
  "sun",
  "template",
  "trash",
  "undo",
  "up",
  "updown",
  "upload",
  "user",
  "warning",
  "webhook"
] as const

/** The name of an icon. */
export type IconName = (typeof iconNames)[number]
