/**
 * Tests accounts next to one that sends a lot: how long an account waits depends only on its own work.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { mailOf } from "../../support/mail.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const emails = 20
const recipients = 50
/** The deliveries of a few batches: those in progress when the email is accepted, and those claimed before it. */
const batches = 6 * 100

export const neighboursSuite = (target: () => Target) =>
  describe("an account beside one that sends large emails to many", () => {
    let loading: TestAccount
    let neighbour: TestAccount
    beforeAll(async () => {
      loading = (await openWorkspace(target(), "Loading")).sandbox
      neighbour = (await openWorkspace(target(), "Neighbour")).sandbox
    })

    it("gets its email delivered before the other's, and each of the other's arrives whole", async () => {
      const html = `<p>${"Lorem ipsum dolor sit amet. ".repeat(10_700)}</p>`
      const sendLarge = (index: number) =>
        mailOf(loading).send(`to-${index}@example.org`, {
          html,
          bcc: Array.from({ length: recipients - 1 }, (_, place) => `bcc-${place}-${index}@example.org`)
        })
      await Promise.all(Array.from({ length: emails }, (_, index) => sendLarge(index)))
      const messageAt = async (account: TestAccount, position: number) =>
        (
          await account.manage<Page<{ to: string; receivedAt: string; html: string }>>(
            "GET",
            `/inbox?page=${position}&pageSize=1`
          )
        ).value
      const mail = mailOf(neighbour)
      const before = (await messageAt(loading, 1)).totalCount
      const { id } = await mail.send("ada@example.org")
      await mail.settled(id, "Delivered")
      const own = (await messageAt(neighbour, 1)).items[0]!.receivedAt
      const total = emails * recipients
      const all = await eventually(
        () => messageAt(loading, 1),
        ({ totalCount }) => totalCount === total
      )
      expect(all).toMatchObject({ totalCount: total, items: [{ html: expect.stringContaining(html) }] })
      // The newest email is number 1. How many arrived before the neighbour's email is found by binary search.
      let [newer, older] = [0, total + 1]
      while (older - newer > 1) {
        const middle = Math.floor((newer + older) / 2)
        if ((await messageAt(loading, middle)).items[0]!.receivedAt < own) older = middle
        else newer = middle
      }
      expect(total + 1 - older - before).toBeLessThanOrEqual(batches)
    }, 120_000)
  })
