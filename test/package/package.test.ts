/**
 * Tests the package: the content of its tarball, its installation into an empty project, and its examples there.
 *
 * @module
 */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { cp, readFile } from "node:fs/promises"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from "vitest"
import { startInstalled } from "./server.ts"
import { freshFolder, install, pack, root, run, succeed } from "./tarball.ts"

type Folder = Awaited<ReturnType<typeof freshFolder>>

// Processes are started here, some with a database, while other tests run.
vi.setConfig({ testTimeout: 180_000 })

const runtimes = ["node", "bun"] as const

let source: Folder
let project: Folder
let tarball: string
let installing: Promise<string | null>

/** Installs the package and the examples. Returns null, or why they cannot be installed. */
const prepare = async (): Promise<string | null> => {
  const whyNot = await install(project.path, tarball)
  if (whyNot === null) {
    await cp(join(project.path, "node_modules/svc/examples"), project.path, { recursive: true })
    // The types of Node, as npm would install them.
    for (const name of ["@types/node", "undici-types"])
      await cp(join(root, "node_modules", name), join(project.path, "node_modules", name), {
        recursive: true
      })
  }
  return whyNot
}

beforeAll(async () => {
  ;[source, project] = await Promise.all([freshFolder(), freshFolder()])
  tarball = await pack(source.path)
  installing = prepare()
  // The first test that needs the installation reports its failure.
  installing.catch(() => undefined)
}, 300_000)

afterAll(async () => {
  await installing?.catch(() => undefined)
  await Promise.all([source?.remove(), project?.remove()])
})

const installed = async ({ skip }: TestContext): Promise<string> => {
  const whyNot = await installing
  return whyNot === null ? project.path : skip(whyNot)
}

describe("the tarball", () => {
  it("passes publint", async () => {
    const data = await readFile(tarball)
    const { messages, pkg } = await publint({
      pack: { tarball: data.buffer.slice(data.byteOffset, data.byteOffset + data.length) },
      strict: true
    })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })

  it("has types for every entry, as a package of ECMAScript modules", async () => {
    const { problems, ...analysis } = await readFile(tarball)
      .then((data) => checkPackage(createPackageFromTarballData(data)))
      .then((result) => {
        if (result.types === false) throw new Error("The package has no types.")
        return result
      })
    expect(Object.keys(analysis.entrypoints).length).toBeGreaterThan(10)
    // `node10` does not support exports, and CommonJS imports ECMAScript modules at run time.
    const ignored: ReadonlyArray<string> = ["node10", "node16-cjs"]
    expect(
      problems.filter((problem) => !("resolutionKind" in problem && ignored.includes(problem.resolutionKind)))
    ).toEqual([])
  })

  it("contains the build and the documentation, and neither sources nor tests", async () => {
    const files = (await succeed(source.path, "tar", ["-tzf", tarball])).trim().split("\n")
    expect(files).toEqual(
      expect.arrayContaining([
        "package/LICENSE",
        "package/dist/core/index.js",
        "package/dist/core/index.d.ts",
        "package/dist/core/index.js.map",
        "package/dist/test/contract/index.js",
        "package/dist/bundle/runtimes/cli/main.js",
        "package/dashboard/dist/index.html",
        "package/docs/index.md",
        "package/examples/client.ts",
        "package/examples/tsconfig.json"
      ])
    )
    const built = files.filter((file) => !file.startsWith("package/examples/"))
    expect(built.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))).toEqual([])
    expect(built.filter((file) => /\.test\.|tsbuildinfo|\/test\/(?!contract\/)/.test(file))).toEqual([])
  })
})

describe("installed", () => {
  it("its examples type-check", async (context) => {
    expect(await run(project.path, "tsc", ["-p", await installed(context)])).toMatchObject({
      code: 0,
      out: ""
    })
  })

  it("its client's types need no other types", async (context) => {
    const file = join(await installed(context), "node_modules/svc/dist/client/index.d.ts")
    const options = [
      "--ignoreConfig",
      "--strict",
      "--noEmit",
      "--target",
      "es2024",
      "--module",
      "nodenext",
      "--types",
      ""
    ]
    expect(await run(project.path, "tsc", [...options, "--lib", "ES2024,DOM", file])).toMatchObject({
      code: 0,
      out: ""
    })
  })

  it("its contract suites test a custom adapter", async (context) => {
    const args = ["node_modules/vitest/vitest.mjs", "run", "contract.test.ts"]
    const { code, err, out } = await run(await installed(context), "node", args)
    expect([code, out + err]).toEqual([0, expect.stringMatching(/Tests\s+[1-9]\d* passed/)])
  })

  describe.concurrent.each(runtimes)("on %s", (runtime) => {
    it("every entry can be imported", async (context) => {
      const folder = await installed(context)
      const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
        readonly exports: Readonly<Record<string, unknown>>
      }
      const entries = Object.keys(exports)
        // Only vitest can import the contract suites.
        .filter((entry) => entry !== "./package.json" && entry !== "./contract")
        .map((entry) => `svc${entry.slice(1)}`)
      const script = `Promise.all(${JSON.stringify(entries)}.map((entry) => import(entry))).then((modules) =>
        modules.forEach((module, index) => { if (Object.keys(module).length === 0) throw new Error(index) }))`
      expect(await run(folder, runtime, ["-e", script])).toEqual({ code: 0, out: "", err: "" })
    })

    it("the client loads without any other package", async (context) => {
      const client = join(await installed(context), "node_modules/svc/dist/client")
      const folder = await freshFolder()
      await cp(client, join(folder.path, "client"), { recursive: true })
      const script = 'import("./client/index.js").then((client) => console.log(typeof client.createClient))'
      const finished = await run(folder.path, runtime, ["-e", script])
      await folder.remove()
      expect(finished).toEqual({ code: 0, out: "function\n", err: "" })
    })

    it("the core runs inside a program with a custom adapter", async (context) => {
      expect(await succeed(await installed(context), runtime, ["embed.ts"])).toBe(
        [
          "ada@example.org: Queued",
          "never@example.org: Suppressed sending.gate_protected",
          "in the inbox: ada@example.org",
          "on our list: never@example.org\n"
        ].join("\n")
      )
    })

    it("a test suite moves the service's clock by days", async (context) => {
      const args = runtime === "node" ? ["--test", "harness.test.ts"] : ["test", "./harness.test.ts"]
      const { code, err, out } = await run(await installed(context), runtime, args)
      expect([code, out + err]).toEqual([0, expect.stringMatching(/\bpass 2\b|\b2 pass\b/)])
    })

    it("the client calls the server that `svc start` starts", async (context) => {
      await using server = await startInstalled(runtime, await installed(context))
      const out = await succeed(project.path, runtime, ["client.ts"], {
        SVC_BASE_URL: server.baseUrl,
        SVC_API_KEY: server.apiKey
      })
      expect(out).toBe(
        [
          "ada@example.org is Subscribed",
          "sent once",
          "the email is Delivered",
          "404 audience.contact_not_found\n"
        ].join("\n")
      )
      const page = await fetch(`${server.baseUrl}/docs`)
      expect([page.status, page.headers.get("content-type")]).toEqual([
        200,
        expect.stringContaining("text/html")
      ])
    })
  })

  it("`svc --help` lists the commands", async (context) => {
    const folder = await installed(context)
    expect(await succeed(folder, join(folder, "node_modules/.bin/svc"), ["--help"])).toContain("start")
  })
})
