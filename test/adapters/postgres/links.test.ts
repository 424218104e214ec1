import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { startEmbedded } from "../../support/targets.ts"
import { openWorkspace } from "../../support/workspace.ts"

describe("links of contacts", () => {
  it("work after a restart on the same store, and on no other store", { timeout: 240_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), "svc-links-"))
    const first = await startEmbedded({ store: { directory } })
    const { sandbox } = await openWorkspace(first, "Links")
    const { contact } = (
      await sandbox.api<{ contact: { id: string } }>("POST", "/contacts", { email: "ada@example.org" })
    ).value
    const links = (await sandbox.manage<Record<string, string>>("POST", `/contacts/${contact.id}/links`))
      .value
    await first.stop()

    const second = await startEmbedded({ store: { directory } })
    for (const link of Object.values(links)) expect((await second.fetch(link)).status).toBe(200)
    await second.stop()
    const other = await startEmbedded()
    for (const link of Object.values(links)) expect((await other.fetch(link)).status).toBe(404)
    await other.stop()
    await rm(directory, { recursive: true })
  })
})
