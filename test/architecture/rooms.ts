/**
 * The rooms of the core, from the lowest to the highest, and what each may import. The linter's rules and `architecture.test.ts`
 * use this list. Type imports count too.
 *
 * @module
 */

/** A folder of the core. */
export interface Room {
  readonly name: string
  /** The rooms that it may import. All of them are earlier in the list. */
  readonly imports: ReadonlyArray<string>
  /** The rooms from which it may import only types. */
  readonly importsTypes?: ReadonlyArray<string>
  /** Its folders, from the lowest to the highest. Each may import the earlier ones; `.` is for the room's own files. */
  readonly subRooms?: ReadonlyArray<string>
}

const pure = ["model", "shared"]
const base = ["jobs", "kernel", "ports", ...pure]

export const rooms: ReadonlyArray<Room> = [
  { name: "shared", imports: [] },
  { name: "model", imports: ["shared"] },
  { name: "ports", imports: ["shared"], importsTypes: ["model"] },
  { name: "kernel", imports: ["ports", ...pure] },
  { name: "jobs", imports: ["kernel", "ports", ...pure], subRooms: [".", "definitions"] },
  { name: "accounts", imports: base },
  { name: "users", imports: ["accounts", ...base], subRooms: ["passkeys", "providers", ".", "signin"] },
  { name: "companies", imports: ["accounts", "users", ...base] },
  { name: "images", imports: ["accounts", ...base] },
  {
    name: "audience",
    imports: ["accounts", "images", ...base],
    subRooms: ["fields", "topics", "timeline", "contacts", "pageTexts", "pages", "segments", "imports"]
  },
  { name: "operation", imports: ["accounts", ...base] },
  { name: "webhooks", imports: ["accounts", ...base] },
  { name: "catalog", imports: ["accounts", ...base] },
  {
    name: "sending",
    imports: ["accounts", "audience", "catalog", "images", "webhooks", ...base],
    subRooms: [
      "domains",
      "sources",
      "alignment",
      "suppressions",
      "gate",
      "templates",
      "contents",
      "fanout",
      "security",
      "shaping",
      "standing",
      "tracking",
      "relays",
      "delivery",
      "emails",
      "reports",
      "feedback",
      "aggregates",
      "retention"
    ]
  },
  { name: "notices", imports: ["accounts", "users", "sending", ...base] },
  { name: "events", imports: ["audience", ...base] },
  {
    name: "automation",
    imports: ["accounts", "audience", "events", "sending", "webhooks", ...base],
    subRooms: ["definition", "runs", "simulation", "flows"]
  },
  {
    name: "campaigns",
    imports: ["accounts", "audience", "automation", "images", "sending", "webhooks", ...base]
  },
  { name: "live", imports: ["accounts", "campaigns", "webhooks", ...base] },
  { name: "privacy", imports: ["accounts", "audience", ...base] },
  { name: "explain", imports: ["audience", "automation", "sending", ...base] },
  { name: "archive", imports: ["accounts", "audience", "automation", "sending", "webhooks", ...base] },
  { name: "secrets", imports: ["accounts", "sending", "webhooks", ...base] },
  { name: "relay", imports: ["accounts", "sending", ...base] },
  {
    name: "commerce",
    imports: ["accounts", "audience", "catalog", "privacy", ...base],
    subRooms: ["platforms", "orders", "conversions", "stores", "sync"]
  },
  {
    name: "bulk",
    imports: ["accounts", "audience", "campaigns", "commerce", "privacy", "webhooks", ...base]
  },
  {
    name: "app",
    imports: [
      "accounts",
      "users",
      "companies",
      "audience",
      "operation",
      "webhooks",
      "catalog",
      "images",
      "sending",
      "events",
      "automation",
      "campaigns",
      "privacy",
      "live"
    ].concat("notices", "bulk", "explain", "archive", "secrets", "relay", "commerce", base)
  }
]

/** The most files in a folder of the product. */
export const maxFiles = 20

/** Folders that may have more files, with the reason. */
export const largeFolders: Readonly<Record<string, string>> = {
  "core/model": "one record a file, named by the record",
  "core/ports": "one port a file, named by the port",
  "adapters/memory": "one store a file, under its port's name",
  "adapters/postgres": "one store a file, under its port's name",
  "adapters/postgres/migrations": "numbered; a migration is never changed or removed"
}
