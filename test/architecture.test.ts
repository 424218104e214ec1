/**
 * Tests the structure of the code: the imports between files and rooms, and the rules of the compiler and the linter. In a copy
 * of the tree with the repository's own configuration, each rule is broken on purpose and must be reported, and what is allowed
 * must pass.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { importRules, rulesIn } from "./architecture/importRules.ts"
import { circleOf, filesOf, groupedBy, importsOf, specifiersOf } from "./architecture/imports.ts"
import { largeFolders, maxFiles, rooms } from "./architecture/rooms.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folders = ["core", "adapters", "runtimes", "client", "test", "examples"]
const adapters = readdirSync(join(root, "adapters"), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : []
)

/** The forms of an import; the rules apply to each of them. */
type Form = "value" | "type" | "export" | "dynamic"

/** A file with one import, either of a file of the tree (a folder's path from the root, ending in a slash) or of a package. */
interface Import {
  readonly from: string
  readonly to: string
  readonly form: Form
}

/** Forbidden imports of one kind, and the compiler's error for them; null if only the linter rejects them. */
interface Rule {
  readonly rule: string
  readonly imports: ReadonlyArray<Import>
  readonly compiler: string | null
}

const notInProject = "TS6307"
const notModule = "TS2306"

/** Imports from the folder and folders in it, because a relative import is written differently at each depth. */
const atEachDepth = (folder: string, tos: ReadonlyArray<string>): ReadonlyArray<Import> =>
  ["", "one/", "one/two/", "one/two/three/"].flatMap((depth) =>
    tos.map((to) => ({ from: `${folder}${depth}`, to, form: "value" }))
  )

const inForms = (from: string, to: string, forms: ReadonlyArray<Form>): ReadonlyArray<Import> =>
  forms.map((form) => ({ from, to, form }))

const everyForm: ReadonlyArray<Form> = ["value", "type", "export", "dynamic"]
const runForms: ReadonlyArray<Form> = ["value", "export", "dynamic"]

const isFile = (to: string): boolean => folders.includes(to.split("/")[0] ?? "")

/** Gives each import its own target file, because the compiler reports an unreferenced file only once. */
const named = (imports: ReadonlyArray<Import>, name: string): ReadonlyArray<Import> =>
  imports.map(({ from, to, form }, index) => ({
    from: `${from}${name}${index}.ts`,
    to: isFile(to) ? `${to}${name}Imported${index}.ts` : to,
    form
  }))

const broken: ReadonlyArray<Rule> = [
  {
    rule: "the core imports no adapter, runtime or test",
    imports: [
      ...atEachDepth("core/", ["adapters/memory/", "adapters/http/one/", "runtimes/node/", "test/support/"]),
      ...inForms("core/ports/", "adapters/memory/", everyForm),
      ...inForms("core/audience/", "runtimes/", everyForm)
    ],
    compiler: notInProject
  },
  {
    rule: "the core imports no package but effect",
    imports: [
      ...atEachDepth("core/", ["node:fs", "fs", "bun", "vitest", "nodemailer", "@electric-sql/pglite"]),
      ...atEachDepth("core/", ["@effect/platform-node", "@effect/sql-pg", "@effect/sql-pg/PgClient"]),
      ...atEachDepth("core/", [
        "effect/http",
        "effect/http/HttpClient",
        "effect/http-api",
        "effect/sql/SqlClient"
      ]),
      ...inForms("core/ports/", "nodemailer", everyForm)
    ],
    compiler: notModule
  },
  {
    rule: "the core imports of effect only its core modules",
    imports: atEachDepth("core/", ["effect/schema", "effect/workflow", "effect/rpc/Rpc"]),
    compiler: null
  },
  ...rooms.map((room): Rule => {
    const allowed = new Set([room.name, ...room.imports, ...(room.importsTypes ?? [])])
    const others = rooms.flatMap(({ name }) => (allowed.has(name) ? [] : [`core/${name}/`]))
    return {
      rule: `core/${room.name} imports no room but those it lists`,
      imports: [
        ...atEachDepth(`core/${room.name}/`, others),
        ...others.slice(0, 1).flatMap((to) => inForms(`core/${room.name}/`, to, everyForm)),
        ...(room.importsTypes ?? []).flatMap((to) => inForms(`core/${room.name}/`, `core/${to}/`, runForms))
      ],
      compiler: null
    }
  }),
  {
    rule: "an adapter imports no other adapter, runtime or test",
    imports: [
      ...adapters.flatMap((adapter, index) => {
        const other = adapters[(index + 1) % adapters.length] ?? ""
        const tos = [`adapters/${other}/`, `adapters/${other}/one/`, "runtimes/node/", "test/support/"]
        return atEachDepth(`adapters/${adapter}/`, tos)
      }),
      ...inForms("adapters/http/one/", "adapters/postgres/", everyForm)
    ],
    compiler: notInProject
  },
  {
    rule: "an adapter and a runtime import no more of effect/http-api than they need",
    imports: ["adapters/http/", "adapters/http/one/two/", "runtimes/server/"].flatMap((from) =>
      inForms(from, "effect/http-api", everyForm)
    ),
    compiler: null
  },
  {
    rule: "a runtime imports no test",
    imports: atEachDepth("runtimes/", ["test/support/"]),
    compiler: notInProject
  },
  {
    rule: "the client imports no file but its own",
    imports: [
      ...atEachDepth("client/", ["core/", "adapters/http/", "runtimes/", "test/support/"]),
      ...inForms("client/", "core/shared/", everyForm)
    ],
    compiler: notInProject
  },
  {
    rule: "the client imports no package",
    imports: atEachDepth("client/", ["node:fs", "effect", "effect/Duration", "vitest"]),
    compiler: notModule
  },
  {
    rule: "a contract suite imports no adapter, runtime or other test",
    imports: ["adapters/memory/", "runtimes/", "test/support/"].flatMap((to) =>
      inForms("test/contract/", to, everyForm)
    ),
    compiler: notInProject
  }
]

const rules = broken.map((rule, index) => ({ ...rule, imports: named(rule.imports, `Wrong${index}At`) }))

const right = named(
  [
    ...atEachDepth("core/", ["effect", "effect/Duration", "core/", "core/shared/", "core/one/two/"]),
    ...inForms("core/ports/", "core/shared/", everyForm),
    ...inForms("core/ports/", "core/ports/", everyForm),
    ...inForms("core/ports/", "core/model/", ["type"]),
    ...rooms.flatMap((room) =>
      [room.name, ...room.imports].flatMap((to) => atEachDepth(`core/${room.name}/`, [`core/${to}/`]))
    ),
    ...adapters.flatMap((adapter) => {
      const own = [`adapters/${adapter}/`, `adapters/${adapter}/one/`]
      return atEachDepth(`adapters/${adapter}/`, [...own, "core/", "core/ports/", "node:fs", "effect/http"])
    }),
    ...atEachDepth("runtimes/", ["core/", "adapters/memory/", "adapters/http/one/", "runtimes/", "node:fs"]),
    ...atEachDepth("client/", ["client/", "client/one/"]),
    ...inForms("test/contract/", "core/ports/", everyForm),
    ...inForms("test/contract/", "test/contract/", everyForm),
    ...inForms("test/contract/", "vitest", everyForm),
    ...inForms("examples/", "examples/", everyForm),
    ...atEachDepth("test/", [
      "core/",
      "adapters/memory/",
      "adapters/http/one/",
      "runtimes/",
      "client/",
      "test/",
      "test/contract/",
      "vitest"
    ])
  ],
  "Right"
)

const loud = 'console.log("loud")\n\nexport const loud = true\n'

/** Code that a folder must not contain, whatever it imports. */
const wrongCode = [
  {
    path: "core/audience/Now.ts",
    source: "export const now = (): number => Date.now()\n",
    code: "eslint(no-restricted-properties)"
  },
  {
    path: "core/audience/SeededRandom.ts",
    source: "export const chance = (): number => Math.random()\n",
    code: "eslint(no-restricted-properties)"
  },
  {
    path: "core/audience/Today.ts",
    source: "export const today = (): Date => new Date()\n",
    code: "core(no-current-date)"
  },
  { path: "core/audience/Loud.ts", source: loud, code: "eslint(no-console)" },
  { path: "adapters/memory/Loud.ts", source: loud, code: "eslint(no-console)" },
  { path: "test/support/Loud.ts", source: loud, code: "eslint(no-console)" }
]

const rightCode = [
  { path: "core/audience/Day.ts", source: "export const day = (at: number): Date => new Date(at)\n" },
  { path: "adapters/memory/Now.ts", source: "export const now = (): number => Date.now()\n" },
  { path: "runtimes/node/Loud.ts", source: loud },
  { path: "test/bench/Loud.ts", source: loud },
  { path: "examples/Loud.ts", source: loud }
]

/** The files that run the contract suites. Their project lists each of them, so they must exist. */
const contractRuns = ["differential", "memory", "pglite", "ports", "postgres"].map((name) => ({
  path: `test/contract/${name}.test.ts`,
  source: "export const runs = true\n"
}))

const sourceOf = ({ from, to, form }: Import): string => {
  const path = relative(dirname(from), to)
  const specifier = JSON.stringify(isFile(to) ? (path.startsWith(".") ? path : `./${path}`) : to)
  switch (form) {
    case "value":
      return `import * as Other from ${specifier}\n\nexport const other: object = Other\n`
    case "type":
      return `import type * as Other from ${specifier}\n\nexport type Its = keyof typeof Other\n`
    case "export":
      return `export * from ${specifier}\n`
    case "dynamic":
      return `export const other = (): Promise<unknown> => import(${specifier})\n`
  }
}

type Code = { readonly path: string; readonly source: string }

const codeOf = (imports: ReadonlyArray<Import>): ReadonlyArray<Code> => [
  ...imports.flatMap(({ to }) => (isFile(to) ? [{ path: to, source: "export const value = 1\n" }] : [])),
  ...imports.map((one) => ({ path: one.from, source: sourceOf(one) }))
]

const trees: Array<string> = []

afterAll(() => Promise.all(trees.map((tree) => rm(tree, { recursive: true, force: true }))))

/** A tree with the repository's configuration and the given code. */
const treeOf = async (code: ReadonlyArray<Code>): Promise<string> => {
  const tree = await mkdtemp(join(tmpdir(), "svc-architecture-"))
  trees.push(tree)
  const projects = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).flatMap((path) =>
      /\btsconfig(\.repository)?\.json$/.test(path) ? [join(folder, path)] : []
    )
  )
  const shared = ["package.json", "tsconfig.json", "tsconfig.base.json", ".oxlintrc.json", ".oxlint-core.js"]
  // The dashboard's project, to which the tests refer, with one of its files.
  const dashboard = ["dashboard/tsconfig.json", "dashboard/src/vite.d.ts"]
  for (const path of [...shared, ...projects, ...dashboard, "core/globals.d.ts"]) {
    await mkdir(dirname(join(tree, path)), { recursive: true })
    await cp(join(root, path), join(tree, path))
  }
  for (const { path, source } of [...code, ...contractRuns]) {
    await mkdir(dirname(join(tree, path)), { recursive: true })
    await writeFile(join(tree, path), source)
  }
  await symlink(join(root, "node_modules"), join(tree, "node_modules"))
  return tree
}

const run = (tree: string, command: string, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd: tree, maxBuffer: 64 * 1024 * 1024 }
    execFile(join(root, "node_modules/.bin", command), args, options, (error, stdout, stderr) => {
      // Both exit with 1 or 2 if they report something; any other code means that they could not run.
      if (error === null || error.code === 1 || error.code === 2) resolve(stdout)
      else reject(new Error(stderr, { cause: error }))
    })
  })

/** The codes reported for each file. */
type Reports = ReadonlyMap<string, ReadonlySet<string>>

const reportsOf = (reports: Iterable<readonly [file: string, code: string]>): Reports => {
  const codes = new Map<string, Set<string>>()
  for (const [file, code] of reports) codes.set(file, (codes.get(file) ?? new Set()).add(code))
  return codes
}

const check = async (tree: string): Promise<{ readonly compiler: Reports; readonly linter: Reports }> => {
  const compiled = await run(tree, "tsc", ["-b", "--pretty", "false"])
  const errors = compiled.matchAll(/^(\S[^(\n]*)\(\d+,\d+\): error (TS\d+)/gm)
  const linted: {
    readonly diagnostics: ReadonlyArray<{ readonly filename: string; readonly code: string }>
  } = JSON.parse(await run(tree, "oxlint", ["--format", "json"]))
  return {
    compiler: reportsOf(Array.from(errors, ([, file, code]) => [file ?? "", code ?? ""] as const)),
    linter: reportsOf(linted.diagnostics.map(({ filename, code }) => [filename, code] as const))
  }
}

describe("a wrong import or call is rejected", () => {
  let compiler: Reports
  let linter: Reports

  beforeAll(async () => {
    const imports = rules.flatMap((rule) => rule.imports)
    ;({ compiler, linter } = await check(await treeOf([...codeOf(imports), ...wrongCode])))
  })

  for (const { rule, imports, compiler: code } of rules) {
    if (code !== null) {
      it(`${rule}: compiler`, () => {
        expect(imports.filter(({ from }) => !compiler.get(from)?.has(code))).toEqual([])
      })
    }

    it(`${rule}: linter`, () => {
      expect(imports.filter(({ from }) => !linter.get(from)?.has("eslint(no-restricted-imports)"))).toEqual(
        []
      )
    })
  }

  for (const { path, code } of wrongCode) {
    it(`${path}: linter`, () => {
      expect(linter.get(path)).toEqual(new Set([code]))
    })
  }
})

describe("what is allowed", () => {
  let tree: string

  beforeAll(async () => {
    tree = await treeOf([...codeOf(right), ...rightCode])
  })

  it("passes, and every folder belongs to a project", async () => {
    const { compiler, linter } = await check(tree)
    expect([...compiler]).toEqual([])
    expect([...linter]).toEqual([])
    const outputs = right.map(({ from }) => join("dist", from.replace(/\.ts$/, ".js")))
    expect(outputs.filter((output) => !existsSync(join(tree, output)))).toEqual([])
  })
})

const product = ["core", "adapters", "runtimes", "client"]

/** The room of a file of the core; null for files outside the rooms. */
const roomOf = (path: string): string | null => /^core\/([^/]+)\//.exec(path)?.[1] ?? null

/** The sub-room of a file: its folder within the room, or `.` for the room's own files. */
const subRoomOf = (path: string): string => {
  const [, , folder, file] = path.split("/")
  return file === undefined || folder === undefined ? "." : folder
}

describe("the imports of the repository", () => {
  const graph = importsOf([...product, "examples", "test"])

  it("are read in every form, types included", () => {
    const source = `
      import { a } from "./a.ts"
      import type { B } from "./b.ts"
      export * from "./c.ts"
      export { d } from "./d.ts"
      type E = import("./e.ts").E
      const f = () => import("./f.ts")`
    expect(specifiersOf("all.ts", source)).toEqual(
      ["a", "b", "c", "d", "e", "f"].map((name) => `./${name}.ts`)
    )
    expect(
      circleOf(
        new Map([
          ["a", new Set(["b"])],
          ["b", new Set(["c", "a"])]
        ])
      )
    ).toEqual(["a", "b", "a"])
  })

  it("form no circle between files", () => {
    expect(circleOf(graph)).toBeNull()
  })

  it("form no circle between the rooms of the core", () => {
    expect(circleOf(groupedBy(graph, roomOf))).toBeNull()
  })

  it("form no circle between the folders of a room", () => {
    expect(circleOf(groupedBy(graph, (path) => (roomOf(path) === null ? null : dirname(path))))).toBeNull()
  })

  for (const [index, { imports, importsTypes = [], name, subRooms = ["."] }] of rooms.entries()) {
    const files = [...graph.keys()].filter((path) => roomOf(path) === name)

    it(`core/${name} imports rooms below it, and those it lists`, () => {
      const below = rooms.slice(0, index).map((room) => room.name)
      expect([...imports, ...importsTypes].filter((room) => !below.includes(room))).toEqual([])
      const allowed = new Set([name, ...imports, ...importsTypes])
      const wrong = files.flatMap((from) =>
        [...graph.get(from)!].flatMap((to) => (allowed.has(roomOf(to) ?? "") ? [] : [`${from} -> ${to}`]))
      )
      expect(wrong).toEqual([])
    })

    it(`core/${name} has the folders it lists, each importing those before it`, () => {
      expect(new Set(files.map(subRoomOf))).toEqual(new Set(subRooms))
      const rank = (path: string): number => subRooms.indexOf(subRoomOf(path))
      const upward = files.flatMap((from) =>
        [...graph.get(from)!].flatMap((to) =>
          roomOf(to) === name && rank(to) > rank(from) ? [`${from} -> ${to}`] : []
        )
      )
      expect(upward).toEqual([])
    })
  }
})

describe("the folders of the repository", () => {
  it("are rooms of the list, with no sub-room named as a room", () => {
    const names = new Set(rooms.map(({ name }) => name))
    expect(new Set(filesOf("core").flatMap((path) => roomOf(path) ?? []))).toEqual(names)
    expect(rooms.flatMap(({ subRooms = [] }) => subRooms.filter((name) => names.has(name)))).toEqual([])
    expect(filesOf("core").filter((path) => path.split("/").length > 4)).toEqual([])
  })

  it(`hold at most ${maxFiles} files, except those that the list names`, () => {
    const byFolder = Map.groupBy(product.flatMap(filesOf), (path) => dirname(path))
    const large = [...byFolder].flatMap(([folder, files]) => (files.length > maxFiles ? [folder] : []))
    expect(large.toSorted()).toEqual(Object.keys(largeFolders).toSorted())
  })
})

it(".oxlintrc.json has the import rules that `npm run rooms` writes", () => {
  expect(rulesIn(readFileSync(join(root, ".oxlintrc.json"), "utf8"))).toEqual(importRules)
})
