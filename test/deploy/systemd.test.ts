/**
 * Tests the systemd unit with systemd.
 *
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { freshFolder } from "../support/serverProcess.ts"
import { fileOf, knownVariables, missing, outputOf, root, variablesIn } from "./kit.ts"

const unit = "deploy/systemd/svc.service"
const analyze = missing("systemd-analyze", "--version")

describe(unit, () => {
  let folder: Awaited<ReturnType<typeof freshFolder>>
  beforeEach(async () => {
    folder = await freshFolder()
  })
  afterEach(() => folder.remove())

  /** The unit, with paths that exist on this machine. */
  const here = (): string => {
    const path = join(folder.path, "svc.service")
    const text = readFileSync(join(root, unit), "utf8")
    writeFileSync(path, text.replaceAll("/opt/svc", root).replaceAll("/usr/bin/node", process.execPath))
    return path
  }

  it.skipIf(analyze !== null)(
    `passes systemd-analyze verify${analyze === null ? "" : ` (${analyze})`}`,
    () => {
      const verify = (path: string) => outputOf("systemd-analyze", ["verify", "--man=no", path])
      expect(verify(here())).toBe("")
      const broken = here()
      writeFileSync(broken, readFileSync(broken, "utf8").replace(/^ExecStart=.*$/m, ""))
      expect(() => verify(broken)).toThrow()
    }
  )

  it("refers to files that exist, and to variables that the service reads", () => {
    const text = fileOf(unit)
    expect(existsSync(join(root, /ExecStart=\S+ (\S+)/.exec(text)![1]!))).toBe(true)
    for (const name of variablesIn(text)) expect(knownVariables).toContain(name)
    const [, documentation] = /file:\/opt\/svc\/(\S+)/.exec(text)!
    expect(existsSync(join(root, documentation!))).toBe(true)
  })
})
