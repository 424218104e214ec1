/**
 * Tests the images: their Dockerfiles, and the steps by which they install, start, check and stop the service. The steps run in a
 * folder instead of an image, with this machine's Node and Bun instead of the base images.
 *
 * @module
 */
import { execFile, spawn } from "node:child_process"
import { cpSync, existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { Copy, DockerfileParser, type Instruction } from "dockerfile-ast"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ensureDashboard } from "../support/dashboard.ts"
import { eventually } from "../support/client.ts"
import { freePort } from "../support/freePort.ts"
import { freshFolder, type Runtime } from "../support/serverProcess.ts"
import { fileOf, knownVariables, root, variablesIn } from "./kit.ts"

interface Image {
  readonly path: string
  readonly runtime: Runtime
}

const images: ReadonlyArray<Image> = [
  { path: "deploy/docker/Dockerfile", runtime: "node" },
  { path: "deploy/docker/Dockerfile.bun", runtime: "bun" }
]

const run = promisify(execFile)

/** The arguments of an instruction in exec form, which runs without a shell. */
const wordsOf = (instruction: Instruction): ReadonlyArray<string> => {
  const text = (instruction.getRawArgumentsContent() ?? "").replaceAll("\\\n", " ")
  return JSON.parse(text.slice(text.indexOf("["))) as ReadonlyArray<string>
}

/** The copies of the project's own files. */
const copiesOf = (instructions: ReadonlyArray<Instruction>): ReadonlyArray<Copy> =>
  instructions
    .filter((one) => one instanceof Copy)
    .filter((copy) => copy.getFlags().every((flag) => flag.getName() !== "from"))

const sourcesOf = (copies: ReadonlyArray<Copy>): ReadonlyArray<string> =>
  copies.flatMap((copy) =>
    copy
      .getArguments()
      .slice(0, -1)
      .map((argument) => argument.getValue())
  )

/** The arguments of each run of npm. */
const npmOf = (instructions: ReadonlyArray<Instruction>): ReadonlyArray<ReadonlyArray<string>> =>
  instructions.flatMap((one) => {
    const line = one.getArgumentsContent() ?? ""
    return one.getKeyword() === "RUN" && line.startsWith("npm ") ? [line.split(" ")] : []
  })

/** The parts of a Dockerfile. */
const read = (path: string) => {
  const dockerfile = DockerfileParser.parse(fileOf(path))
  const instructions = dockerfile.getInstructions()
  const all = (keyword: string) => instructions.filter((one) => one.getKeyword() === keyword)
  const last = (keyword: string) => all(keyword).at(-1)!
  const ownCopies = copiesOf(instructions)
  // The stage that builds the dashboard and the programs leaves nothing else in the image.
  const begins = instructions.findIndex((one) => one.getArgumentsContent()?.endsWith(" AS build"))
  const ends = instructions.findIndex((one, at) => at > begins && one.getKeyword() === "FROM")
  const building = instructions.slice(begins, ends)
  const others = instructions.filter((one) => !building.includes(one))
  return {
    keywords: new Set(instructions.map((one) => one.getKeyword())),
    stages: all("FROM").length,
    user: last("USER").getArgumentsContent(),
    volume: last("VOLUME").getArgumentsContent(),
    stopSignal: last("STOPSIGNAL").getArgumentsContent(),
    install: npmOf(others),
    building: npmOf(building),
    command: wordsOf(last("CMD")),
    health: wordsOf(last("HEALTHCHECK")),
    sources: sourcesOf(ownCopies),
    /** The content of the image itself and of the service's dependencies. */
    content: sourcesOf(copiesOf(others)),
    environment: Object.fromEntries(
      dockerfile
        .getENVs()
        .flatMap((env) => env.getProperties())
        .map((property) => [property.getName(), property.getValue() ?? ""])
    )
  }
}

describe.each(images)("$path", ({ path }) => {
  const image = read(path)

  it("builds in stages, and runs as its own user with a volume for its data", () => {
    expect(image.stages).toBe(3)
    expect(image.user).toBe("svc")
    expect(image.environment["SVC_DATA_DIR"]).toBe(image.volume)
    expect(image.stopSignal).toBe("SIGTERM")
  })

  it("copies files that exist and that .dockerignore does not exclude", () => {
    const allowed = fileOf(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1))
    expect(image.sources.length).toBeGreaterThan(5)
    for (const source of image.sources) {
      expect([source, existsSync(join(root, source))]).toEqual([source, true])
      expect(allowed).toContain(source)
    }
  })

  it("builds the dashboard and the programs from the project's scripts, in a stage of its own", () => {
    const { scripts } = JSON.parse(fileOf("package.json")) as { readonly scripts: Record<string, string> }
    const [install, ...builds] = image.building.map((words) => words.join(" "))
    expect(install).toMatch(/^npm ci --ignore-scripts\b(?!.*--omit)/)
    expect(builds).toEqual(["npm run build:dashboard", "npm run build:programs"])
    expect(scripts["build:dashboard"]).toBe("node dashboard/build.mjs")
    expect(scripts["build:programs"]).toBe("node runtimes/build.mjs")
    for (const built of ["dashboard/dist", "dist/bundle"])
      expect(fileOf(path).split("\n")).toContain(`COPY --from=build /opt/svc/${built} ./${built}`)
  })

  it("names only variables that the service reads", () => {
    for (const name of variablesIn(fileOf(path))) expect(knownVariables).toContain(name)
  })
})

describe("the content of the images", { timeout: 240_000 }, () => {
  let folder: Awaited<ReturnType<typeof freshFolder>>

  beforeAll(async () => {
    folder = await freshFolder()
    const dockerfiles = images.map(({ path }) => read(path))
    for (const source of new Set(dockerfiles.flatMap(({ content }) => content))) {
      cpSync(join(root, source), join(folder.path, source), {
        recursive: true,
        filter: (file) => !file.endsWith(".tsbuildinfo")
      })
    }
    await ensureDashboard()
    for (const built of ["dashboard/dist", "dist/bundle"])
      cpSync(join(root, built), join(folder.path, built), { recursive: true })
    const installs = new Set(dockerfiles.flatMap(({ install }) => install).map((words) => words.join(" ")))
    // One installation serves both stages, because both need the same packages.
    expect(installs.size).toBe(1)
    const [npm, ...words] = [...installs][0]!.split(" ")
    await run(npm!, words, { cwd: folder.path })
  }, 240_000)

  afterAll(() => folder.remove())

  it.concurrent.each(images)("starts, is healthy, sends and stops: $path", async ({ path, runtime }) => {
    const { command, environment, health } = read(path)
    expect(existsSync(join(folder.path, "node_modules/vitest"))).toBe(false)
    expect(command[0]).toBe(runtime)
    expect(health[0]).toBe(runtime)
    const program = join(root, "node_modules/.bin", runtime)
    const port = String(await freePort())
    const env = {
      ...environment,
      PATH: process.env["PATH"],
      SVC_PORT: port,
      SVC_SMTP_PORTS: "",
      SVC_DATA_DIR: join(folder.path, `data-${runtime}`),
      SVC_ADMIN_TOKEN: "management-token-of-the-test-0123456789"
    }
    const isHealthy = async () => {
      const words = health.slice(1)
      return run(program, words, { env }).then(
        () => true,
        () => false
      )
    }
    expect(await isHealthy()).toBe(false)
    const server = spawn(program, command.slice(1), {
      cwd: folder.path,
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const kill = () => server.kill("SIGKILL")
    process.once("exit", kill)
    let out = ""
    server.stdout.on("data", (piece: Buffer) => (out += piece.toString()))
    server.stderr.on("data", (piece: Buffer) => (out += piece.toString()))
    const ended = new Promise((resolve) => server.once("close", resolve))
    await expect.poll(isHealthy, { timeout: 180_000, interval: 500, message: out }).toBe(true)
    // It is printed once everything listens.
    const key = await eventually(
      async () => /Sandbox key\s+(\S+)\n/.exec(out)?.[1],
      (found) => found !== undefined
    )
    const at = `http://127.0.0.1:${port}`
    const sent = await fetch(`${at}/api/v1/sending/emails`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ to: "ada@example.org", subject: "Hello", html: "<p>It works.</p>" })
    })
    expect([sent.status, out]).toEqual([201, out])
    expect((await fetch(`${at}/docs`)).status).toBe(200)
    expect((await fetch(`${at}/app/`)).status).toBe(200)
    expect((await fetch(`${at}/openapi/public-v1.json`)).status).toBe(200)
    server.kill("SIGTERM")
    expect(await ended).toBe(0)
    process.off("exit", kill)
  })
})
