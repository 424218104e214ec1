/**
 * Tests opens and clicks (docs/contributing/decisions.md 5): tracked links and pixels, their redirects, and what is counted.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { mailOf } from "../../support/mail.ts"
import { type Contact, type ContactWritten, dateTimePattern, type Page } from "../../support/shapes.ts"
import { settled, type Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const page = `<html><body><p>Hello</p>
  <a href="https://shop.example/a?x=1&amp;y=2">A</a><a href='http://shop.example/b'>B</a>
  <a href="https://shop.example/c" data-no-track>C</a><a href="mailto:x@shop.example">D</a></body></html>`

/** The headers of a person's browser. Those of `fetch` name a program. */
const person = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
  "accept-language": "en"
}
/** Gmail's image proxy. Half a minute after delivery it opens by itself; later it acts for a reader. */
const image = "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"

/** A recipient in the management API. */
interface Recipient {
  readonly openedAt: string | null
  readonly clickedAt: string | null
  readonly visits: {
    readonly readerOpenedAt: string | null
    readonly readerClickedAt: string | null
    readonly opens: Readonly<Record<string, number>>
    readonly clicks: Readonly<Record<string, number>>
    readonly recent: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
}

export const trackingSuite = (target: () => Target) =>
  describe("tracking", () => {
    let account: TestAccount
    let serial = 0

    /** Visits within 3 seconds of delivery are attributed to programs, so this waits longer. */
    const timeToRead = async () => {
      const { advance } = target()
      if (advance === null) await new Promise((resolve) => setTimeout(resolve, 3_200))
      else await advance("3200 millis")
    }
    /** Sends an email to a new contact, and returns the received message. */
    const send = async (tracking: object | undefined) => {
      const email = `reader${++serial}@tracking.example`
      const { contact } = (await account.api<ContactWritten>("POST", "/contacts", { email })).value
      const mail = mailOf(account)
      const { id } = await mail.send(email, { html: page, ...(tracking && { tracking }) })
      await mail.settled(id, "Delivered")
      const [message] = await mail.messagesOf(id)
      const html = String(message!["html"])
      const pathOf = (pattern: RegExp) => {
        const url = pattern.exec(html)?.[1]
        return url?.startsWith(target().baseUrl) ? url.slice(target().baseUrl.length) : null
      }
      return {
        id,
        contact,
        html,
        text: message!["text"],
        pixel: pathOf(/<div style="width:1px;height:1px;background:url\('([^']+)'\)"><\/div>/),
        link: pathOf(/<a href="([^"]+)">A</),
        otherLink: pathOf(/<a href="([^"]+)">B</)
      }
    }
    const everything = { opens: true, clicks: true }
    const onlyOpens = { opens: true, clicks: false }
    const onlyClicks = { opens: false, clicks: true }
    /**
     * Emails sent before the tests. On the system clock, each test would otherwise wait until a person could have read its email.
     */
    const prepared = new Map<object, Array<Awaited<ReturnType<typeof send>>>>()
    const prepare = async (tracking: object, count: number) =>
      prepared.set(tracking, await Promise.all(Array.from({ length: count }, () => send(tracking))))
    /** An email to its own contact, delivered long enough ago for a person to have read it. */
    const delivered = async (tracking: object = everything) => {
      const ready = prepared.get(tracking)?.pop()
      if (ready !== undefined) return ready
      const email = await send(tracking)
      await timeToRead()
      return email
    }
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Tracking")).sandbox
      await Promise.all([prepare(everything, 21), prepare(onlyOpens, 1), prepare(onlyClicks, 1)])
      await timeToRead()
    })
    const follow = async (path: string | null, headers: Record<string, string> = {}, method = "GET") => {
      const response = await target().fetch(path ?? "/none", {
        method,
        headers: { ...person, ...headers },
        redirect: "manual"
      })
      return {
        status: response.status,
        headers: response.headers,
        location: response.headers.get("location"),
        bytes: new Uint8Array(await response.arrayBuffer())
      }
    }
    const read = async ({ id }: Contact) => (await account.api<Contact>("GET", `/contacts/${id}`)).value
    const detail = async (id: string) => {
      const { value } = await account.manage<{ readonly recipients: ReadonlyArray<Recipient> }>(
        "GET",
        `/emails/${id}`
      )
      return value.recipients[0]!
    }
    const timesOf = async (contact: Contact) => {
      const { lastClickAt, lastOpenAt } = await read(contact)
      return [lastOpenAt, lastClickAt]
    }

    it("is off for transactional email by default", async () => {
      expect((await send(undefined)).html).toBe(page)
      expect((await send({ opens: false, clicks: false })).html).toBe(page)
    })

    it("changes links and adds a pixel, and nothing else", async () => {
      const { html, link, otherLink, pixel, text } = await send(everything)
      const { baseUrl } = target()
      expect([link, otherLink, pixel]).not.toContain(null)
      expect(html).toContain(`href="https://shop.example/c" data-no-track`)
      expect(html).toContain(`href="mailto:x@shop.example"`)
      const restored = html
        .replace(`"${baseUrl}${link}"`, `"https://shop.example/a?x=1&amp;y=2"`)
        .replace(`"${baseUrl}${otherLink}"`, `'http://shop.example/b'`)
        .replace(`<div style="width:1px;height:1px;background:url('${baseUrl}${pixel}')"></div>`, "")
      expect(restored).toBe(page)
      expect(text).toBe("It works.")
    })

    it("redirects to the link's target, and counts the first click, which is an open too", async () => {
      const { contact, link } = await delivered()
      const answer = await follow(link)
      expect(answer).toMatchObject({ status: 302, location: "https://shop.example/a?x=1&y=2" })
      expect(answer.headers.get("cache-control")).toBe("no-store")
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
      const counted = await eventually(
        () => read(contact),
        ({ lastClickAt }) => lastClickAt !== null
      )
      expect(counted["lastClickAt"]).toMatch(dateTimePattern)
      expect(counted["lastOpenAt"]).toBe(counted["lastClickAt"])
      await follow(link)
      await settled(target())
      expect(await timesOf(contact)).toEqual([counted["lastOpenAt"], counted["lastClickAt"]])
    })

    it("takes both links of an email within 2 seconds for a program's, and moves the contact's times back", async () => {
      // Only with a virtual clock are the clicks certain to fall within the seconds of a burst.
      if (target().advance === null) return
      const { contact, id, link, otherLink } = await delivered()
      await follow(link)
      await eventually(
        () => read(contact),
        ({ lastClickAt }) => lastClickAt !== null
      )
      expect((await follow(otherLink)).location).toBe("http://shop.example/b")
      await eventually(
        () => read(contact),
        ({ lastClickAt, lastOpenAt }) => lastClickAt === null && lastOpenAt === null
      )
      expect(await timesOf(contact)).toEqual([null, null])
      const { visits } = await detail(id)
      expect(visits).toMatchObject({
        readerOpenedAt: null,
        readerClickedAt: null,
        opens: { Human: 0, Machine: 1, Unknown: 0 },
        clicks: { Human: 0, Machine: 2, Unknown: 0 }
      })
    })

    it("moves the contact's times back to those of an earlier email", async () => {
      if (target().advance === null) return
      const first = await delivered()
      await follow(first.link)
      const counted = await eventually(
        () => read(first.contact),
        ({ lastClickAt }) => lastClickAt !== null
      )
      const mail = mailOf(account)
      const email = first.contact["email"]
      const { id } = await mail.send(email, { html: page, tracking: { opens: true, clicks: true } })
      await mail.settled(id, "Delivered")
      await timeToRead()
      const [message] = await mail.messagesOf(id)
      const links = [...String(message!["html"]).matchAll(/<a href="([^"]+)">[AB]</g)].map(([, url]) =>
        url!.slice(target().baseUrl.length)
      )
      await follow(links[0]!)
      await eventually(
        () => read(first.contact),
        ({ lastClickAt }) => lastClickAt !== counted["lastClickAt"]
      )
      await follow(links[1]!)
      await eventually(
        () => read(first.contact),
        ({ lastClickAt }) => lastClickAt === counted["lastClickAt"]
      )
      expect(await timesOf(first.contact)).toEqual([counted["lastOpenAt"], counted["lastClickAt"]])
    })

    it("counts the first open by the pixel", async () => {
      const { contact, link, pixel } = await delivered(onlyOpens)
      expect(link).toBeNull()
      const answer = await follow(pixel, { "user-agent": image })
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe("image/gif")
      expect(answer.headers.get("cache-control")).toBe("no-store")
      expect(new TextDecoder().decode(answer.bytes.slice(0, 6))).toBe("GIF89a")
      const counted = await eventually(
        () => read(contact),
        ({ lastOpenAt }) => lastOpenAt !== null
      )
      expect(counted["lastOpenAt"]).toMatch(dateTimePattern)
      expect(counted["lastClickAt"]).toBeNull()
      await follow(pixel)
      await settled(target())
      expect(await timesOf(contact)).toEqual([counted["lastOpenAt"], null])
    })

    it("does not count a click as an open where opens are not tracked", async () => {
      const { contact, link, pixel } = await delivered(onlyClicks)
      expect(pixel).toBeNull()
      await follow(link)
      const counted = await eventually(
        () => read(contact),
        ({ lastClickAt }) => lastClickAt !== null
      )
      expect(counted["lastOpenAt"]).toBeNull()
    })

    it("records visits of programs, which move none of the contact's times, with the same responses", async () => {
      const { contact, id, link, pixel } = await delivered()
      for (const headers of [
        { "user-agent": "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)" },
        { "user-agent": "BarracudaCentral" },
        { "user-agent": "curl/8.5.0" },
        { purpose: "prefetch" },
        { "sec-purpose": "prefetch;prerender" },
        { "x-moz": "prefetch" }
      ]) {
        expect((await follow(link, headers)).status).toBe(302)
        expect((await follow(pixel, headers)).status).toBe(200)
      }
      expect(await follow(link, {}, "HEAD")).toMatchObject({
        status: 302,
        location: "https://shop.example/a?x=1&y=2"
      })
      expect((await follow(pixel, {}, "HEAD")).status).toBe(200)
      const machines = await eventually(
        () => detail(id),
        ({ clickedAt, openedAt, visits }) =>
          visits.clicks["Machine"] === 7 &&
          visits.opens["Machine"] === 7 &&
          openedAt !== null &&
          clickedAt !== null
      )
      expect(machines.openedAt).toMatch(dateTimePattern)
      expect(machines.clickedAt).toMatch(dateTimePattern)
      expect(machines.visits).toMatchObject({ readerOpenedAt: null, readerClickedAt: null })
      expect(await timesOf(contact)).toEqual([null, null])
      const rules = machines.visits.recent.map(({ rule, verdict }) => `${rule} ${verdict}`)
      expect([...new Set(rules)].toSorted()).toEqual(["agent Machine", "method Machine", "purpose Machine"])
      const fields = ["agent", "at", "kind", "link", "method", "network", "rule", "verdict"]
      expect(Object.keys(machines.visits.recent[0]!).toSorted()).toEqual(fields)

      await follow(link)
      const counted = await eventually(
        () => read(contact),
        ({ lastClickAt }) => lastClickAt !== null
      )
      expect(counted["lastOpenAt"]).toBe(counted["lastClickAt"])
      const { clickedAt, visits } = await detail(id)
      expect(clickedAt).toBe(machines.clickedAt)
      expect(visits).toMatchObject({
        readerOpenedAt: counted["lastOpenAt"],
        readerClickedAt: counted["lastClickAt"],
        clicks: { Human: 1, Machine: 7, Unknown: 0 }
      })
    })

    it("takes visits right after delivery and Apple's image proxies for programs", async () => {
      const { contact, id, pixel } = await delivered()
      await follow(pixel, { "user-agent": "Mozilla/5.0" })
      await eventually(
        () => detail(id),
        ({ visits }) => visits.recent[0]?.["rule"] === "mpp"
      )
      expect(await timesOf(contact)).toEqual([null, null])
      // Only a virtual clock is certain to stand still until the link is followed.
      if (target().advance === null) return
      const early = await send(everything)
      await follow(early.link)
      await eventually(
        () => detail(early.id),
        ({ visits }) => visits.recent[0]?.["rule"] === "instant"
      )
      expect(await timesOf(early.contact)).toEqual([null, null])
    })

    it("shows the devices from which a person opened and clicked, until the person is erased", async () => {
      const { contact, id, link } = await delivered()
      const devices = () =>
        account.manage<{ items: ReadonlyArray<Readonly<Record<string, unknown>>> }>(
          "GET",
          `/contacts/${contact.id}/devices`
        )
      expect((await devices()).value).toEqual({ items: [] })
      const phone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
      await follow(link, { "user-agent": phone })
      await follow(link, { "user-agent": "curl/8.5.0" })
      await eventually(
        () => detail(id),
        ({ visits }) => visits.clicks["Human"] === 1 && visits.clicks["Machine"] === 1
      )
      expect((await devices()).value.items).toMatchObject([
        { kind: "Phone", program: "Safari", system: "iOS", opens: 0, clicks: 1 }
      ])
      expect((await account.manage("DELETE", `/contacts/${contact.id}`)).status).toBe(200)
      expect((await devices()).codes).toEqual(["common.not_found"])
    })

    it("shows on the contact's timeline when a person first opened and clicked, which starts flows", async () => {
      const flows = flowsOf(account)
      const flow = await flows.start("email.clicked", [emailStep("thanks")])
      const { contact, id, link } = await delivered()
      const timeline = async () =>
        (
          await account.manage<Page<Readonly<Record<string, unknown>>>>(
            "GET",
            `/contacts/${contact.id}/timeline`
          )
        ).value.items.filter(({ name }) => String(name).startsWith("email."))
      await follow(link, { "user-agent": "curl/8.5.0" })
      await eventually(
        () => detail(id),
        ({ visits }) => visits.clicks["Machine"] === 1
      )
      expect(await timeline()).toEqual([])
      await follow(link)
      const entries = await eventually(timeline, (items) => items.length > 0)
      const { visits } = await detail(id)
      expect(entries.map(({ name, occurredAt, source }) => [name, occurredAt, source]).toSorted()).toEqual([
        ["email.clicked", visits.readerClickedAt, "Service"],
        ["email.opened", visits.readerOpenedAt, "Service"]
      ])
      expect(entries.map(({ properties }) => properties)).toEqual([{ messageId: id }, { messageId: id }])
      await flows.runsWhere(flow.id, (runs) => runs.some(({ contactId }) => contactId === contact.id))
      await follow(link)
      await settled(target())
      expect(await timeline()).toEqual(entries)
      await account.manage("POST", `/flows/${flow.id}/archive`, {})
    })

    it("takes what follows the link that people cannot see for a program, with the setting trapLink", async () => {
      const { sandbox } = await openWorkspace(target(), "Trap")
      const flows = flowsOf(sandbox)
      const name = uniqueName()
      const steps = [
        emailStep("news", { purpose: "Marketing", html: page }),
        emailStep("receipt", { html: page })
      ]
      await flows.start(name, steps)
      const hiddenPattern = /<a href="([^"]+)" style="display:none" aria-hidden="true" tabindex="-1"><\/a>/
      const mailed = async () => {
        const contact = await flows.person({ consent: { basis: "Customer" } })
        await flows.report(name, { id: contact.id })
        const messages = await flows.mailTo(String(contact["email"]), 2)
        const of = (subject: string) => messages.find((message) => message["subject"] === subject)!
        const [news, receipt] = [of("Subject news"), of("Subject receipt")]
        return {
          contact,
          id: news.submissionId,
          news: String(news["html"]),
          receipt: String(receipt["html"])
        }
      }
      const plain = await mailed()
      expect([plain.news, plain.receipt].map((html) => hiddenPattern.test(html))).toEqual([false, false])
      const set = await sandbox.manage<{ readonly trapLink: boolean }>("PATCH", "/settings", {
        trapLink: true
      })
      expect(set.value.trapLink).toBe(true)
      const trapped = await mailed()
      expect(hiddenPattern.test(trapped.receipt)).toBe(false)
      const pathIn = (html: string, pattern: RegExp) => pattern.exec(html)![1]!.slice(target().baseUrl.length)
      const hidden = pathIn(trapped.news, hiddenPattern)
      const link = pathIn(trapped.news, /<a href="([^"]+)">A</)
      await timeToRead()
      const contactNow = async () =>
        (await sandbox.api<Contact>("GET", `/contacts/${trapped.contact.id}`)).value
      await follow(link)
      await eventually(contactNow, ({ lastClickAt }) => lastClickAt !== null)
      const answer = await follow(hidden)
      expect([answer.status, answer.location]).toEqual([200, null])
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(new TextDecoder().decode(answer.bytes)).toBe("<!doctype html><title></title>\n")
      expect((await follow(`${hidden}A`)).status).toBe(404)
      const after = await eventually(contactNow, ({ lastClickAt }) => lastClickAt === null)
      expect([after["lastOpenAt"], after["consentStatus"]]).toEqual([null, trapped.contact["consentStatus"]])
      await follow(link)
      const seen = await eventually(
        async () =>
          (
            await sandbox.manage<{ readonly recipients: ReadonlyArray<Recipient> }>(
              "GET",
              `/emails/${trapped.id}`
            )
          ).value.recipients[0]!,
        ({ visits }) => visits.clicks["Machine"] === 3
      )
      expect(seen.visits.recent.map(({ kind, rule, verdict }) => `${kind} ${rule} ${verdict}`)).toEqual([
        "Click trap Machine",
        "Open trap Machine",
        "Click trap Machine",
        "Click trap Machine"
      ])
    })

    it("keeps the latest 100 visits of a recipient and counts all", async () => {
      const { id, pixel } = await delivered()
      for (let count = 0; count < 110; count += 10) {
        await Promise.all(Array.from({ length: 10 }, () => follow(pixel, { "user-agent": "curl/8.5.0" })))
      }
      const { visits } = await eventually(
        () => detail(id),
        (recipient) => recipient.visits.opens["Machine"] === 110
      )
      expect(visits.recent).toHaveLength(100)
    })

    it("returns a plain page for an invalid token", async () => {
      const { contact, link, otherLink, pixel } = await delivered()
      const [ids, , mac] = link!.split(".")
      const [, otherUrl] = otherLink!.split(".")
      const evil = Buffer.from("https://evil.example/").toString("base64url")
      const forged = [
        `${ids}.${otherUrl}.${mac}`,
        `${ids}.${evil}.${mac}`,
        link!.replace("/t/c/o", "/t/c/c"),
        link!.slice(0, -1),
        `${link}A`,
        `${link}/`,
        pixel!.replace("/t/o/", "/t/c/"),
        link!.replace("/t/c/", "/t/o/"),
        `${pixel}A`,
        "/t/c/",
        "/t/c/%00",
        "/t/c/%ff%fe",
        "/t/c/https%3A%2F%2Fevil.example",
        `/t/c/${"A".repeat(15_000)}`,
        "/t/o/..%2f..%2fetc"
      ]
      for (const path of forged) {
        const answer = await follow(path)
        expect([path.slice(0, 80), answer.status, answer.location]).toEqual([path.slice(0, 80), 404, null])
      }
      const answer = await follow(`${pixel}A`)
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8")
      await settled(target())
      expect(await timesOf(contact)).toEqual([null, null])
    })

    it("redirects after the email is deleted", async () => {
      const { contact, link, pixel } = await delivered()
      await account.api("DELETE", `/contacts/${contact.id}`)
      expect((await follow(link)).status).toBe(302)
      expect((await follow(pixel)).status).toBe(200)
    })

    it("distinguishes recipients of one email", async () => {
      const emails = [`a${++serial}@tracking.example`, `b${serial}@tracking.example`] as const
      const contacts = await Promise.all(
        emails.map(
          async (email) => (await account.api<ContactWritten>("POST", "/contacts", { email })).value.contact
        )
      )
      const mail = mailOf(account)
      const { id } = await mail.send(emails[0], { cc: [emails[1]], html: page, tracking: { clicks: true } })
      await mail.settled(id, "Delivered")
      await timeToRead()
      const message = (await mail.messagesOf(id)).find(({ to }) => to === emails[1])
      const url = /<a href="([^"]+)">A</.exec(String(message!["html"]))![1]!
      await follow(url.slice(target().baseUrl.length))
      const counted = await eventually(
        () => read(contacts[1]!),
        ({ lastClickAt }) => lastClickAt !== null
      )
      expect(counted["lastClickAt"]).toMatch(dateTimePattern)
      expect((await read(contacts[0]!))["lastClickAt"]).toBeNull()
    })

    it("counts each of many at once exactly once", async () => {
      const many = await Promise.all(Array.from({ length: 12 }, () => delivered()))
      const answers = await Promise.all(
        many.flatMap(({ link, pixel }) => [follow(pixel), follow(link), follow(link), follow(pixel)])
      )
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200, 302]))
      for (const { contact } of many) {
        const counted = await eventually(
          () => read(contact),
          ({ lastClickAt, lastOpenAt }) => lastClickAt !== null && lastOpenAt !== null
        )
        expect(counted["lastClickAt"]).toMatch(dateTimePattern)
      }
    })

    it("defaults to the account's setting", async () => {
      const { sandbox } = await openWorkspace(target(), "Tracking by default")
      await sandbox.manage("PATCH", "/settings", { tracking: { opens: true, clicks: false } })
      const mail = mailOf(sandbox)
      const htmlOf = async (more: object) => {
        const { id } = await mail.send("ada@tracking.example", { html: page, ...more })
        await mail.settled(id, "Delivered")
        return String((await mail.messagesOf(id))[0]!["html"])
      }
      const byDefault = await htmlOf({})
      expect([byDefault.includes("/t/o/"), byDefault.includes("/t/c/")]).toEqual([true, false])
      const asked = await htmlOf({ tracking: { opens: false, clicks: true } })
      expect([asked.includes("/t/o/"), asked.includes("/t/c/")]).toEqual([false, true])
    })
  })
