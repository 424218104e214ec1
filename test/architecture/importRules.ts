/**
 * The linter's rules about imports, generated from the list of rooms. `npm run rooms` writes them into `.oxlintrc.json`.
 *
 * @module
 */
import { type Room, rooms } from "./rooms.ts"

interface Pattern {
  readonly regex?: string
  readonly group?: ReadonlyArray<string>
  readonly allowTypeImports?: boolean
  readonly message: string
}

/** An entry of `overrides`. */
export interface Override {
  readonly files: ReadonlyArray<string>
  readonly rules: { readonly "no-restricted-imports": "off" | readonly ["error", object] }
}

const override = (files: string, patterns: ReadonlyArray<Pattern>): Override => ({
  files: [files],
  rules: { "no-restricted-imports": ["error", { patterns }] }
})

// The linter's expressions have no look-ahead, and a negated group stops the matching of all later patterns, so it comes last.

const core: ReadonlyArray<Pattern> = [
  {
    regex: "^\\.{1,2}/(.*/)?(adapters|runtimes|test|dist|node_modules)/",
    message: "The core imports only effect and itself."
  },
  { regex: "^effect/[^A-Z]", message: "The core imports only the modules effect itself consists of." },
  {
    group: ["*", "!effect", "!effect/*", "!./**", "!../**"],
    message: "The core imports only effect and itself."
  }
]

/** The whole module contains two browsers for API descriptions, 10 MB of code that is never called. */
const wholeHttpApi: Pattern = {
  regex: "^effect/http-api$",
  message: "Import the module that is needed, such as effect/http-api/HttpApiEndpoint."
}

/** Imports from those folders of the core, from any depth of another folder. */
const ofRooms = (names: ReadonlyArray<string>): string => `^(\\./)*(\\.\\./)+(${names.join("|")})/`

const patternsOf = ({ imports, importsTypes = [], name }: Room): ReadonlyArray<Pattern> => {
  const known = new Set([name, ...imports, ...importsTypes])
  const others = rooms.flatMap((room) => (known.has(room.name) ? [] : [room.name]))
  const types = importsTypes.map((room) => `the types of ${room}`)
  const message = `core/${name} imports ${[...types, ...imports].join(", ") || "no other room"}: test/architecture/rooms.ts.`
  return [
    { regex: ofRooms(["core", ...others]), message },
    { regex: "^(\\./)*(\\.\\./)+index\\.ts$", message },
    ...(importsTypes.length === 0 ? [] : [{ regex: ofRooms(importsTypes), allowTypeImports: true, message }]),
    ...core
  ]
}

/** A relative import leaves the adapter's own folder if it has one step more than the file's depth. */
const ofAdapter = (depth: number): Override =>
  override(`adapters/${"*/".repeat(depth)}*.ts`, [
    {
      regex: `^(\\./)*(\\.\\./){${depth}}[^.]`,
      message: "An adapter imports the core, never another adapter."
    },
    {
      regex: `^(\\./)*(\\.\\./){${depth + 1}}(adapters|runtimes|test|dist)/`,
      message: "An adapter imports the core, never another adapter, a runtime or a test."
    },
    wholeHttpApi
  ])

/** The rules, from general to specific. If several match a file, the last one applies. */
export const importRules: ReadonlyArray<Override> = [
  override("core/**", core),
  ...rooms.map((room) => override(`core/${room.name}/**`, patternsOf(room))),
  ...[1, 2, 3, 4].map(ofAdapter),
  override("runtimes/**", [
    { regex: "^(\\./)*(\\.\\./)+(test|dist)/", message: "A runtime imports no test." },
    wholeHttpApi
  ]),
  override("client/**", [
    {
      regex: "^\\.{1,2}/(.*/)?(core|adapters|runtimes|test|dist|node_modules)/",
      message: "The client imports only itself."
    },
    { group: ["*", "!./**", "!../**"], message: "The client imports only itself." }
  ]),
  // The published part of the tests. The files that run it here are not published.
  override("test/contract/*.ts", [
    {
      regex: "^(\\./)*(\\.\\./){1}[^.]",
      message: "A contract suite imports the core, never another test."
    },
    {
      regex: "^(\\./)*(\\.\\./){2}(adapters|runtimes|test|client|dist)/",
      message: "A contract suite imports the core, never an adapter."
    }
  ]),
  { files: ["test/contract/*.test.ts"], rules: { "no-restricted-imports": "off" } }
]

const [begin, end] = ["// Written by `npm run rooms`:", "// Until here."]

/** The rules that the linter's configuration currently has. */
export const rulesIn = (configuration: string): unknown =>
  JSON.parse(`[${configuration.split(begin)[1]?.split(end)[0]?.trim().replace(/,$/, "")}]`)

/** The linter's configuration with the generated rules. */
export const withRules = (configuration: string): string => {
  const [before, rest] = configuration.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error("the configuration has no generated part")
  return [before, begin, "\n", ...importRules.map((rule) => `${JSON.stringify(rule)},\n`), end, after].join(
    ""
  )
}
