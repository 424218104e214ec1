import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { compiledCodeDirectory, embeddedDirectory } from "../../runtimes/node/compiledCode.ts"

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-code-"))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe("compiled code", () => {
  it("is kept in the data directory of an embedded store, made for its user alone", async () => {
    const data = join(folder, "made", "data")
    expect(compiledCodeDirectory({ SVC_DATA_DIR: data })).toBe(join(data, "compiled-code"))
    for (const path of [data, join(data, "compiled-code")])
      expect((await stat(path)).mode & 0o777).toBe(0o700)
  })

  it("is kept beside another store only where the data directory exists", async () => {
    const data = join(folder, "data")
    const environment = { SVC_DATA_DIR: data, SVC_STORE: "postgres://localhost/svc" }
    expect(compiledCodeDirectory(environment)).toBeNull()
    expect(await readdir(folder)).toEqual([])
    await mkdir(data, { mode: 0o700 })
    expect(compiledCodeDirectory(environment)).toBe(join(data, "compiled-code"))
  })

  it("is not kept where others could write or read it, or where it is another user's", async () => {
    const data = join(folder, "data")
    await mkdir(data, { mode: 0o700 })
    await chmod(data, 0o750)
    expect(compiledCodeDirectory({ SVC_DATA_DIR: data })).toBeNull()
    await chmod(data, 0o700)
    expect(compiledCodeDirectory({ SVC_DATA_DIR: data }, -1)).toBeNull()
    await mkdir(join(data, "compiled-code"), { mode: 0o700 })
    await chmod(join(data, "compiled-code"), 0o777)
    expect(compiledCodeDirectory({ SVC_DATA_DIR: data })).toBeNull()
  })

  it("is not kept behind a symbolic link or below a file", async () => {
    const data = join(folder, "data")
    await mkdir(data, { mode: 0o700 })
    await symlink(folder, join(data, "compiled-code"))
    expect(compiledCodeDirectory({ SVC_DATA_DIR: data })).toBeNull()
    expect(compiledCodeDirectory({ SVC_DATA_DIR: "/dev/null" })).toBeNull()
  })
})

it("opens the database early of an embedded store whose directory is closed or missing", async () => {
  const data = join(folder, "data")
  const environment = { SVC_DATA_DIR: data }
  expect(embeddedDirectory(environment)).toBe(data)
  await mkdir(data, { mode: 0o700 })
  expect(embeddedDirectory(environment)).toBe(data)
  expect(embeddedDirectory(environment, -1)).toBeNull()
  expect(embeddedDirectory({ ...environment, SVC_STORE: "memory" })).toBeNull()
  await chmod(data, 0o750)
  expect(embeddedDirectory(environment)).toBeNull()
})
