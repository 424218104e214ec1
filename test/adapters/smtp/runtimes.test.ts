/**
 * Tests both transports on Node and Bun.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "../../..")

for (const runtime of ["node", "bun"]) {
  it(`the transports send on ${runtime}`, async () => {
    const binary = join(root, "node_modules/.bin", runtime)
    const script = join(import.meta.dirname, "sendOnRuntime.ts")
    const { stdout } = await promisify(execFile)(binary, [script], { timeout: 100_000 })
    expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toEqual({
      outcomes: {
        login: "Sent TLSv1.3",
        relay: "Sent TLSv1.3",
        many: "30",
        large: "whole",
        direct: "Delivered TLSv1.3",
        nowhere: "Bounced",
        broken: "Delivered",
        withdrawn: "Withdrawn TLSv1.3",
        dropped: "Unknown TLSv1.3",
        refused: "Bounced TLSv1.3"
      },
      signatures: ["a=rsa-sha256", "a=ed25519-sha256"]
    })
  })
}
