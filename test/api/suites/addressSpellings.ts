/**
 * Tests different spellings of an address (docs/contributing/decisions.md 2) that mean the same mailbox, in mail, imports, stores
 * and searches.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import type { Page } from "../../support/shapes.ts"
import { loggedIn } from "../../support/smtpClient.ts"
import { connectStore, storeEvent } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

const email = "zoë.k@xn--bcher-kva.example"
const spellings = [
  '"zoë.k"@xn--bcher-kva.example',
  `"zoë.\\k"@bücher.example`,
  "Zoë.K@BÜCHER.Example",
  "(a) zoë.k (b(c)) @ (d) bücher.example (e)"
]

export const addressSpellingsSuite = (target: () => Target) =>
  describe("an address in another spelling", () => {
    let workspace: Workspace
    let id = ""
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Spellings")
      const { api } = workspace.sandbox
      const { value } = await api<{ contact: { id: string } }>("POST", "/contacts", {
        email,
        firstName: "Zoë"
      })
      id = value.contact.id
    })

    it("is the same person in imports, and in what stores report", async () => {
      const { accountId, manage } = workspace.sandbox
      const lines = spellings.map((spelling) => `"${spelling.replaceAll('"', '""')}"`)
      const started = await call<{ id: string }>(
        target(),
        "POST",
        `/manage/v1/accounts/${accountId}/imports`,
        {
          token: target().managementToken,
          body: ["email", ...lines].join("\n"),
          headers: { "content-type": "text/csv" }
        }
      )
      const { value } = await eventually(
        () => manage<{ status: string; rows: Record<string, number> }>("GET", `/imports/${started.value.id}`),
        (read) => read.value.status === "Completed"
      )
      expect(value.rows).toEqual({ read: 4, created: 0, updated: 4, failed: 0 })
      const store = await connectStore(target(), workspace.sandbox)
      const order = { status: "Paid", currency: "EUR", total: 1, placedAt: "2025-01-01T00:00:00Z", lines: [] }
      await store.report(
        ...spellings.map((spelling, index) =>
          storeEvent("order.placed", { ...order, id: `o${index}`, email: spelling })
        )
      )
      for (const spelling of spellings) {
        const found = await eventually(
          () => manage<Page<{ email: string }>>("GET", `/orders?q=${encodeURIComponent(spelling)}`),
          (read) => read.value.items.length === spellings.length
        )
        expect(found.value.items.map((one) => one.email)).toEqual(spellings.map(() => email))
      }
      expect(
        (await manage<Page<{ id: string }>>("GET", "/contacts")).value.items.map((one) => one.id)
      ).toEqual([id])
    })

    it("is the same person in rules of segments", async () => {
      const countOf = async (operator: string, value: unknown) => {
        const definition = { join: "All", rules: [{ fieldKey: "email", operator, value }] }
        const found = await workspace.sandbox.manage<{ count: number }>("POST", "/segments/preview", {
          definition
        })
        return found.value.count
      }
      for (const spelling of spellings) {
        expect(await countOf("Equals", spelling)).toBe(1)
        expect(await countOf("NotEquals", spelling)).toBe(0)
        expect(await countOf("In", ["nobody@example.org", spelling])).toBe(1)
      }
    })

    it("is the same recipient over SMTP, where it is suppressed, listed and searched for", async () => {
      const { sandbox } = workspace
      const client = await loggedIn(target().smtp.tls, sandbox.key)
      const countOf = async (path: string, spelling: string) =>
        (await sandbox.manage<Page<unknown>>("GET", path + encodeURIComponent(spelling))).value.items.length
      try {
        for (const [index, spelling] of spellings.entries()) {
          await sandbox.manage("POST", "/suppressions", { email: spelling, kind: "Protected" })
          // RFC 5321 allows no comments in a path.
          const path = spelling.includes("(") ? email : spelling
          const to = `From: suite@mail.example\r\nTo: Zoe <${spelling}>\r\nSubject: Hello\r\n\r\nHello\r\n`
          expect(await client.send([path], to)).toMatch(/^250 /)
          const sent = await sandbox.manage<Page<{ status: string }>>(
            "GET",
            `/emails?to=${encodeURIComponent(spelling)}`
          )
          expect(sent.value.items.map(({ status }) => status)).toEqual(
            Array.from({ length: index + 1 }, () => "Suppressed")
          )
          expect(await countOf("/emails?q=", spelling)).toBe(index + 1)
          expect(await countOf("/suppressions?q=", spelling)).toBe(1)
          expect(await countOf("/contacts?q=", spelling)).toBe(1)
          expect(await countOf("/search?q=", spelling)).toBeGreaterThan(0)
          const { id: emailId } = (await sandbox.manage<Page<{ id: string }>>("GET", "/emails")).value
            .items[0]!
          const why = await sandbox.manage<{ verdict: string }>(
            "GET",
            `/explain?email=${emailId}&contact=${encodeURIComponent(`email:${spelling}`)}`
          )
          expect(why.value.verdict).toBe("NotSent")
          const listed = `/suppressions/${encodeURIComponent(spelling)}`
          expect((await sandbox.manage("DELETE", listed)).status).toBe(200)
        }
      } finally {
        client.close()
      }
    })
  })
