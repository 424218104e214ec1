/**
 * Tests rotating the installation's secrets while it runs (docs/contributing/management-api.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Rotation {
  readonly linksAcceptedUntil: string
  readonly resealed: number
  readonly unreadable: number
}

type Links = Readonly<Record<"confirm" | "preferences" | "unsubscribe", string>>

/** Tests of the rotation of secrets. */
export const secretsSuite = (target: () => Target): void => {
  let account: TestAccount

  const rotate = () => manage<Rotation>(target(), "POST", "/secrets/rotate")
  const newContact = async (email: string) =>
    (await account.api<{ contact: { id: string } }>("POST", "/contacts", { email })).value.contact.id
  const linksOf = async (contact: string) =>
    (await account.manage<Links>("POST", `/contacts/${contact}/links`)).value
  const statusOf = async (link: string) => {
    const path = link.startsWith("/") ? link : link.slice(target().baseUrl.length)
    return (await target().fetch(path)).status
  }
  const keyOf = (link: string) => /\.([\da-z]{3})[\w-]{43}$/.exec(link)?.[1]

  beforeAll(async () => {
    account = (await openWorkspace(target(), "Secrets")).sandbox
  })

  describe("rotating the secrets", () => {
    it("signs with a new key, and accepts what was signed before for 365 days", async () => {
      const contact = await newContact("rotated@people.example")
      const before = await linksOf(contact)
      const rotated = await rotate()
      expect(rotated.status).toBe(200)
      expect(rotated.value).toMatchObject({ resealed: 0, unreadable: 0 })
      const days = (Date.parse(rotated.value.linksAcceptedUntil) - target().now()) / 86_400_000
      expect(days).toBeCloseTo(365, 1)
      const after = await linksOf(contact)
      expect(keyOf(after.confirm)).not.toBe(keyOf(before.confirm))
      for (const link of [...Object.values(before), ...Object.values(after)]) {
        expect([link, await statusOf(link)]).toEqual([link, 200])
      }
      // A signature under the id of another key is invalid.
      const swapped = after.confirm.replace(`.${keyOf(after.confirm)}`, `.${keyOf(before.confirm)}`)
      expect(await statusOf(swapped)).toBe(404)
    })

    it("keeps recognising the addresses of erased people", async () => {
      const email = "erased-before@people.example"
      const contact = await newContact(email)
      expect((await account.api("DELETE", `/contacts/${contact}`)).status).toBe(200)
      await rotate()
      const imported = await call<{ readonly id: string }>(
        target(),
        "POST",
        `/manage/v1/accounts/${account.accountId}/imports?name=erased`,
        {
          token: target().managementToken,
          body: `email\n${email}\n`,
          headers: { "content-type": "text/csv" }
        }
      )
      interface Progress {
        readonly status: string
        readonly failed: number
      }
      let progress: Progress
      do {
        await target().advance?.("1 second")
        const path = `/imports/${imported.value.id}`
        progress = (await account.manage<Progress>("GET", path)).value
      } while (progress.status !== "Completed")
      expect((await account.api("GET", `/contacts/email:${email}`)).status).toBe(404)
    })

    it("keeps the stores' webhooks and the webhooks' secrets", async () => {
      const webhook = await account.manage<{ id: string }>("POST", "/webhooks", {
        url: "http://127.0.0.1:9/rotated",
        events: []
      })
      await rotate()
      expect((await account.manage("POST", `/webhooks/${webhook.value.id}/test`)).status).toBe(202)
    })
  })
}
