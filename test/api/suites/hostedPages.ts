/**
 * Tests the hosted pages behind an email's links, and their timeline events (docs/contributing/decisions.md 3).
 *
 * @module
 */
import { createHash } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { png } from "../../support/images.ts"
import { mailOf } from "../../support/mail.ts"
import type { ConsentEntry, Contact, ContactWritten, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Links {
  readonly confirm: string
  readonly preferences: string
  readonly unsubscribe: string
}

interface TextsValue {
  readonly language: string
  readonly texts: ReadonlyArray<{ readonly key: string; readonly own: string | null }>
}

interface TimelineEntry {
  readonly name: string
  readonly occurredAt: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly source: string
}

/** The target of a redirect from the page at `path`. */
const placeOf = ({ headers }: { readonly headers: Headers }, path: string): string => {
  const { pathname, search } = new URL(headers.get("location") ?? "", `http://svc.test${path}`)
  return pathname + search
}

const subscribed = { basis: "Subscribed", proof: { text: "Yes, send me news." } }

export const hostedPagesSuite = (target: () => Target) =>
  describe("hosted pages", () => {
    let account: TestAccount
    let serial = 0
    const hostile = `<script>alert("1")</script> & 'Sons'`
    beforeAll(async () => {
      account = (await openWorkspace(target(), hostile)).sandbox
    })
    const subscribe = async () => {
      const email = `reader${++serial}@pages.example`
      const { contact } = (
        await account.api<ContactWritten>("POST", "/contacts", { email, consent: subscribed })
      ).value
      const links = (await account.manage<Links>("POST", `/contacts/${contact.id}/links`)).value
      return { contact, links }
    }
    const statusOf = async (id: string) =>
      (await account.api<Contact>("GET", `/contacts/${id}`)).value.consentStatus
    const historyOf = async (id: string) =>
      (await account.manage<Page<ConsentEntry>>("GET", `/contacts/${id}/consent-history`)).value.items
    const show = async (path: string) => {
      const response = await target().fetch(path)
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    const post = async (path: string, form: Record<string, string> | string | URLSearchParams) => {
      const body = form instanceof URLSearchParams ? form : new URLSearchParams(form)
      const response = await target().fetch(path, {
        method: "POST",
        body: body.toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
        redirect: "manual"
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }

    it("have links only for existing contacts", async () => {
      const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"
      expect((await account.manage("POST", `/contacts/${unknown}/links`)).codes).toEqual(["common.not_found"])
      expect((await account.manage("POST", "/contacts/unknown/links")).codes).toEqual(["common.not_found"])
    })

    it("are in the language of the contact, and so is the proof of what was agreed to", async () => {
      const email = `leser${++serial}@pages.example`
      const { contact } = (
        await account.api<ContactWritten>("POST", "/contacts", { email, language: "de-AT" })
      ).value
      const links = (await account.manage<Links>("POST", `/contacts/${contact.id}/links`)).value
      const unsubscribe = (await show(links.unsubscribe)).text
      expect(unsubscribe).toContain('<html lang="de" dir="ltr">')
      expect(unsubscribe).toContain("Abmelden")
      const asked = await account.manage<{ confirm: string }>("POST", `/contacts/${contact.id}/double-opt-in`)
      const path = asked.value.confirm
      const [, agreed = ""] = /name="text" value="(Ja, ich möchte[^"]*)"/.exec((await show(path)).text) ?? []
      expect(agreed).not.toBe("")
      const shown = agreed.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
      const text = shown.replaceAll("&#39;", "'").replaceAll("&amp;", "&")
      await post(path, { text })
      expect(await statusOf(contact.id)).toBe("Subscribed")
      expect((await historyOf(contact.id))[0]?.proof).toMatchObject({ text, locale: "de" })
    })

    it("are in the brand of the company, as far as it can be read", async () => {
      const workspace = await openWorkspace(target(), "Plain")
      const { api, manage: ofAccount } = workspace.sandbox
      const { contact } = (
        await api<ContactWritten>("POST", "/contacts", { email: "brand@pages.example", consent: subscribed })
      ).value
      const { unsubscribe } = (await ofAccount<Links>("POST", `/contacts/${contact.id}/links`)).value
      const upload = await target().fetch(`/manage/v1/accounts/${workspace.sandbox.accountId}/images`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${target().managementToken}`,
          "content-type": "application/octet-stream"
        },
        body: png(40, 20)
      })
      const { id, url } = ((await upload.json()) as { value: { id: string; url: string } }).value
      const setBrand = (colors: object) =>
        manage(target(), "PUT", `/companies/${workspace.companyId}/brand`, {
          json: {
            name: "Bold & Co",
            logo: id,
            colors,
            postalAddress: "1 High Street\nTown",
            footer: "<b>Since 1904</b>"
          }
        })
      expect((await setBrand({ accent: "#ffe600", background: "#fff8e1", text: "#3e2723" })).status).toBe(200)
      const brand = await manage(target(), "GET", `/companies/${workspace.companyId}/brand`)
      expect(brand.value).toMatchObject({ logo: id, logoUrl: url })
      const { headers, text } = await show(unsubscribe)
      const key = url.slice(url.lastIndexOf("/") + 1)
      expect(text).toContain(`<img class="logo" src="../i/${key}" alt="Bold &amp; Co" />`)
      expect(text).toContain("newsletters and offers from Bold &amp; Co")
      expect(text).toContain("&lt;b&gt;Since 1904&lt;/b&gt;\n\n1 High Street\nTown")
      // White on the accent colour, or the accent on white, would be illegible.
      expect(text).toContain("--fill: #ffe600; --on-fill: #000000")
      expect(text).toContain("{ :root { --ink: #3e2723; --ground: #fff8e1 } }")
      const policy = headers.get("content-security-policy") ?? ""
      expect(policy).toContain("img-src 'self';")
      for (const [, css = ""] of text.matchAll(/<style>([^<]*)<\/style>/g))
        expect(policy).toContain(`'sha256-${createHash("sha256").update(css).digest("base64")}'`)
      await setBrand({ accent: null, background: "#000000", text: "#fefefe" })
      expect((await show(unsubscribe)).text).not.toContain("#fefefe")
    })

    it("have the company's own words, in languages of its own too", async () => {
      const { companyId, sandbox } = await openWorkspace(target(), "Worded")
      const texts = (language: string, json: unknown) =>
        manage<TextsValue>(target(), "PUT", `/companies/${companyId}/page-texts/${language}`, { json })
      const set = await texts("AR", {
        texts: { "unsubscribe.title": "إلغاء <b>", "confirm.text": "نعم، {name}!", "links.unsubscribe": "" }
      })
      expect(set.status).toBe(200)
      expect(set.value).toMatchObject({ language: "ar", isBuiltIn: false })
      expect(set.value.texts.filter(({ own }) => own !== null)).toEqual([
        {
          key: "confirm.text",
          text: expect.stringContaining("{name}"),
          placeholder: "{name}",
          own: "نعم، {name}!"
        },
        { key: "unsubscribe.title", text: "Unsubscribe", placeholder: null, own: "إلغاء <b>" }
      ])
      const all = await manage<{ readonly items: ReadonlyArray<TextsValue> }>(
        target(),
        "GET",
        `/companies/${companyId}/page-texts`
      )
      expect(all.value.items.map(({ language }) => language)).toHaveLength(11)
      expect(all.value.items.at(-1)).toEqual(set.value)
      const { contact } = (
        await sandbox.api<ContactWritten>("POST", "/contacts", {
          email: "ar@pages.example",
          language: "ar-EG"
        })
      ).value
      const links = (await sandbox.manage<Links>("POST", `/contacts/${contact.id}/links`)).value
      const unsubscribe = (await show(links.unsubscribe)).text
      expect(unsubscribe).toContain('<html lang="ar" dir="rtl">')
      // A text left in English keeps its own direction.
      expect(unsubscribe).toMatch(/h1, h2, p,[^}]*\{ unicode-bidi: plaintext \}/)
      expect(unsubscribe).toContain("<h1>إلغاء &lt;b&gt;</h1>")
      expect(unsubscribe).toContain("stop receiving newsletters and offers from Worded?")
      const asked = await sandbox.manage<{ confirm: string }>("POST", `/contacts/${contact.id}/double-opt-in`)
      expect((await show(asked.value.confirm)).text).toContain("نعم، Worded!")
      await post(asked.value.confirm, { text: "نعم، Worded!" })
      const { items } = (
        await sandbox.manage<Page<ConsentEntry>>("GET", `/contacts/${contact.id}/consent-history`)
      ).value
      expect(items[0]?.proof).toMatchObject({ text: "نعم، Worded!", textVersion: "own", locale: "ar" })
      const wrong = await texts("ar", { texts: { "unsubscribe.title": "{name}", other: "x" } })
      expect([wrong.status, wrong.fields.toSorted()]).toEqual([
        400,
        ["texts.other", "texts.unsubscribe.title"]
      ])
      expect((await texts("arab", { texts: {} })).fields).toEqual(["language"])
      expect((await texts("ar", { texts: {} })).value.texts.filter(({ own }) => own !== null)).toEqual([])
      expect((await show(links.unsubscribe)).text).toContain('<html lang="en" dir="ltr">')
    })

    it("are reached from an email that asks to confirm, in the person's language", async () => {
      const { companyId, sandbox } = await openWorkspace(target(), "Asking")
      const words = { texts: { "mail.subject": "Ja zu {name}?", "mail.ignore": "<i>Sonst</i> nichts." } }
      await manage(target(), "PUT", `/companies/${companyId}/page-texts/de`, { json: words })
      await manage(target(), "PUT", `/companies/${companyId}/brand`, { json: { footer: "Seit <1904>" } })
      const email = "frage@pages.example"
      const person = { email, language: "de" }
      const { contact } = (await sandbox.api<ContactWritten>("POST", "/contacts", person)).value
      const path = `/contacts/${contact.id}/double-opt-in/email`
      const sent = await sandbox.manage<{ consentStatus: string; emailId: string | null }>("POST", path)
      expect(sent.status).toBe(202)
      expect(sent.value.consentStatus).toBe("PendingConfirmation")
      const messages = await eventually(
        () => mailOf(sandbox).messagesOf(sent.value.emailId!),
        ({ length }) => length === 1
      )
      const { value } = await sandbox.manage<{ subject: string; html: string; text: string }>(
        "GET",
        `/inbox/${messages[0]!.id}`
      )
      expect(value.subject).toBe("Ja zu Asking?")
      expect(value.html).toContain("&lt;i&gt;Sonst&lt;/i&gt; nichts.")
      expect(value.html).toContain("Seit &lt;1904&gt;")
      expect(value.text).toContain("Bitte bestätigen Sie, dass Sie E-Mails von Asking erhalten möchten.")
      const [link = ""] = /https?:\/\/\S+\/c\/\S+/.exec(value.text) ?? []
      expect((await post(link.slice(link.indexOf("/c/")), {})).status).toBe(303)
      const again = await sandbox.manage<{ consentStatus: string; emailId: string | null }>("POST", path)
      expect(again.value).toEqual({ consentStatus: "Subscribed", emailId: null })
      const unknown = await sandbox.manage("POST", `/contacts/${companyId}/double-opt-in/email`)
      expect(unknown.codes).toEqual(["common.not_found"])
    })

    it("allow no injection, and no caching, framing or indexing", async () => {
      const { links } = await subscribe()
      for (const path of Object.values(links) as Array<string>) {
        const { headers, status, text } = await show(path)
        expect(status).toBe(200)
        expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
        expect(headers.get("content-security-policy")).toMatch(
          /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/
        )
        expect(headers.get("referrer-policy")).toBe("no-referrer")
        expect(headers.get("x-robots-tag")).toContain("noindex")
        expect(headers.get("cache-control")).toBe("no-store")
        expect(text).toContain('<html lang="en" dir="ltr">')
        expect(text).toMatch(/<title>[^<]+<\/title>/)
        expect(text).toContain("<main>")
        expect(text.match(/<h1>/g)).toHaveLength(1)
        expect(text).not.toContain("<script")
        expect(text).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Sons&#39;")
        expect(text).not.toMatch(/(src|href)=/)
      }
    })

    it("change nothing when they are shown", async () => {
      const { contact, links } = await subscribe()
      for (const path of Object.values(links) as Array<string>) {
        await show(path)
        expect((await target().fetch(path, { method: "HEAD" })).status).toBe(200)
      }
      expect(await statusOf(contact.id)).toBe("Subscribed")
      expect(await historyOf(contact.id)).toHaveLength(1)
    })

    it("confirm a pending person once the form is posted, and keep the proof", async () => {
      const { contact } = (
        await account.api<ContactWritten>("POST", "/contacts", { email: "asked@pages.example" })
      ).value
      const path = `/contacts/${contact.id}`
      const asked = await account.manage<{ consentStatus: string; confirm: string }>(
        "POST",
        `${path}/double-opt-in`
      )
      expect(asked.value.consentStatus).toBe("PendingConfirmation")
      const page = await show(asked.value.confirm)
      expect(page.status).toBe(200)
      expect(await statusOf(contact.id)).toBe("PendingConfirmation")
      expect((await post(asked.value.confirm, {})).status).toBe(303)
      expect(await statusOf(contact.id)).toBe("Subscribed")
      const history = await account.manage<Page<ConsentEntry>>("GET", `${path}/consent-history`)
      expect(history.value.items.map(({ from, source, to }) => [from, to, source])).toEqual([
        ["PendingConfirmation", "Subscribed", "DoubleOptIn"],
        ["Unknown", "PendingConfirmation", "DoubleOptIn"]
      ])
      const [shown] = /Yes, I want to receive emails from [^<]+/.exec(page.text) ?? []
      const words = "Yes, I want to receive emails from"
      expect(shown).toContain(words)
      expect(history.value.items[0]!.proof).toMatchObject({
        text: `${words} ${hostile}. I can unsubscribe at any time.`,
        textVersion: "1",
        locale: "en",
        ipAddress: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
        givenAt: expect.stringMatching(/Z$/)
      })
      // Another request changes nothing, and an old link reverts nothing.
      await account.manage("POST", `${path}/double-opt-in`)
      expect(await statusOf(contact.id)).toBe("Subscribed")
      await account.api("POST", "/contacts", { id: contact.id, consent: { basis: "Unsubscribed" } })
      await post(asked.value.confirm, {})
      expect(await statusOf(contact.id)).toBe("Unsubscribed")
      const unknown = await account.manage(
        "POST",
        "/contacts/01890a5d-ac96-774b-bcce-b302099a8057/double-opt-in"
      )
      expect(unknown.status).toBe(404)
    })

    it("confirm only the words that the page showed", async () => {
      const { contact } = (
        await account.api<ContactWritten>("POST", "/contacts", { email: "words@pages.example" })
      ).value
      const { confirm } = (
        await account.manage<{ confirm: string }>("POST", `/contacts/${contact.id}/double-opt-in`)
      ).value
      const answer = await post(confirm, { text: "Yes, I want to receive emails from another sender." })
      expect([answer.status, placeOf(answer, confirm)]).toEqual([303, confirm])
      expect(await statusOf(contact.id)).toBe("PendingConfirmation")
      const text = `Yes, I want to receive emails from ${hostile}. I can unsubscribe at any time.`
      expect((await post(confirm, { text })).status).toBe(303)
      expect(await statusOf(contact.id)).toBe("Subscribed")
    })

    it("confirm no other address than the one that the link was sent to", async () => {
      const subject = `${Date.now()}`
      const changes: ReadonlyArray<(id: string, externalId: string, email: string) => Promise<unknown>> = [
        (id, _, email) => account.api("POST", "/contacts", { id, email }),
        (id, _, email) => account.api("POST", "/contacts/batch", { contacts: [{ id, email }] }),
        (_, externalId, email) =>
          account.api("POST", "/events", {
            events: [{ id: `moved-${externalId}`, name: "person.moved", contact: { externalId, email } }]
          }),
        (_, externalId, email) => {
          const mapping = encodeURIComponent(JSON.stringify({ who: "externalId", mail: "email" }))
          return call(
            target(),
            "POST",
            `/manage/v1/accounts/${account.accountId}/imports?mapping=${mapping}`,
            {
              token: target().managementToken,
              body: `who,mail\n${externalId},${email}\n`,
              headers: { "content-type": "text/csv" }
            }
          )
        }
      ]
      for (const [index, change] of changes.entries()) {
        const [from, to] = [
          `attacker${index}-${subject}@pages.example`,
          `victim${index}-${subject}@pages.example`
        ]
        const externalId = `mover-${index}-${subject}`
        const { id } = (await account.api<ContactWritten>("POST", "/contacts", { email: from, externalId }))
          .value.contact
        const path = `/contacts/${id}`
        const { confirm } = (await account.manage<{ confirm: string }>("POST", `${path}/double-opt-in`)).value
        const links = (await account.manage<Links>("POST", `${path}/links`)).value
        expect((await show(links.preferences)).text).toContain("a•••@pages.example")
        await change(id, externalId, to)
        const moved = async () => (await account.api<Contact>("GET", path)).value
        await eventually(moved, ({ email }) => email === to)
        expect(await moved()).toMatchObject({ email: to, consentStatus: "PendingConfirmation" })
        for (const link of [confirm, links.confirm]) {
          const shown = await show(link)
          expect([shown.status, (await post(link, {})).status]).toEqual([410, 410])
          expect(shown.text).toContain("no longer valid")
          expect(shown.text).not.toContain("<form")
          expect(shown.text).not.toContain("v•••")
        }
        expect(await statusOf(id)).toBe("PendingConfirmation")
        for (const link of [links.preferences, links.unsubscribe]) {
          const { status, text } = await show(link)
          expect(status).toBe(200)
          expect(text).not.toContain("•••")
        }
        expect((await post(links.unsubscribe, { from: "page" })).status).toBe(303)
        expect(await statusOf(id)).toBe("Unsubscribed")
      }
    })

    it("unsubscribe by the form, and show the result", async () => {
      const { contact, links } = await subscribe()
      expect((await show(links.unsubscribe)).text).toContain("<form")
      const answer = await post(links.unsubscribe, { from: "page" })
      expect(answer.status).toBe(303)
      expect(placeOf(answer, links.unsubscribe)).toBe(links.unsubscribe)
      expect(await statusOf(contact.id)).toBe("Unsubscribed")
      const { text } = await show(links.unsubscribe)
      expect(text).toContain("You are unsubscribed")
      expect(text).not.toContain("<form")
    })

    it("unsubscribe by one click (RFC 8058), once, in every encoding", async () => {
      const { contact, links } = await subscribe()
      const oneClick = await post(links.unsubscribe, { "List-Unsubscribe": "One-Click" })
      expect(oneClick.status).toBe(200)
      const boundary = "part"
      const multipart = await target().fetch(links.unsubscribe, {
        method: "POST",
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
        body: `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`
      })
      expect(multipart.status).toBe(200)
      expect(await statusOf(contact.id)).toBe("Unsubscribed")
      expect(await historyOf(contact.id)).toMatchObject([
        { from: "Subscribed", to: "Unsubscribed", source: "UnsubscribeLink", proof: null },
        { from: null, to: "Subscribed", source: "Api" }
      ])
    })

    it("change the shown topics and no others", async () => {
      const topic = async (key: string, more: object = {}) =>
        (
          await account.manage<{ id: string }>("POST", "/topics", {
            key,
            name: `Topic ${key} <b>`,
            ...more
          })
        ).value.id
      const news = await topic("news")
      const tips = await topic("tips", { defaultOn: false })
      const later = await topic("later")
      const { links } = await subscribe()
      const boxes = async () => {
        const { text } = await show(links.preferences)
        return Object.fromEntries(
          [
            ...text.matchAll(/<input type="checkbox" id="topic-([^"]+)"[^>]*value="\1"\s*(checked)?\s*\/>/g)
          ].map(([, id, checked]) => [id, checked !== undefined])
        )
      }
      expect(await boxes()).toEqual({ [news]: true, [tips]: false, [later]: true })
      const { text } = await show(links.preferences)
      for (const id of [news, tips]) expect(text).toContain(`<label for="topic-${id}">`)
      expect(text).toContain("Topic news &lt;b&gt;")
      const answer = await post(
        links.preferences,
        new URLSearchParams([
          ["shown", news],
          ["shown", tips],
          ["shown", "no-topic"],
          ["on", tips],
          ["on", "no-topic"],
          ["action", "save"]
        ])
      )
      expect(answer.status).toBe(303)
      expect(placeOf(answer, links.preferences)).toBe(`${links.preferences}?saved=1`)
      expect(await boxes()).toEqual({ [news]: false, [tips]: true, [later]: true })
      expect((await show(`${links.preferences}?saved=1`)).text).toContain("Your choices are saved.")
      await account.manage("PATCH", `/topics/${later}`, { isArchived: true })
      expect(await boxes()).toEqual({ [news]: false, [tips]: true })
    })

    it("unsubscribe from everything by the preference page", async () => {
      const { contact, links } = await subscribe()
      expect((await post(links.preferences, { action: "unsubscribe" })).status).toBe(303)
      expect(await statusOf(contact.id)).toBe("Unsubscribed")
      expect((await show(links.preferences)).text).toContain("You are unsubscribed")
    })

    it("confirm pending consent only", async () => {
      const { contact, links } = await subscribe()
      expect((await show(links.confirm)).text).toContain("You are subscribed")
      await post(links.unsubscribe, {})
      expect((await post(links.confirm, {})).status).toBe(303)
      expect(await statusOf(contact.id)).toBe("Unsubscribed")
      expect((await show(links.confirm)).text).toContain("nothing to confirm")
    })

    it("return 404 for any other token, on GET and POST", async () => {
      const { contact, links } = await subscribe()
      const token = links.unsubscribe.slice("/u/".length)
      const other = (await subscribe()).links.unsubscribe.slice("/u/".length)
      const wrong = [
        `/c/${token}`,
        `/p/${token}`,
        `/u/${links.preferences.slice("/p/".length)}`,
        `/u/${token}x`,
        `/u/${token.slice(0, -1)}`,
        `/u/${token.split(".")[0]}.${other.split(".")[1]}`,
        "/u/x",
        "/u/%00",
        `/u/${"a".repeat(51)}.${"a".repeat(43)}`
      ]
      const { text } = await show("/u/x")
      for (const path of wrong) {
        const shown = await show(path)
        expect([path, shown.status]).toEqual([path, 404])
        expect(shown.headers.get("content-type")).toBe("text/html; charset=utf-8")
        expect(shown.text).toBe(text)
        expect((await post(path, { from: "page" })).status).toBe(404)
      }
      expect(await statusOf(contact.id)).toBe("Subscribed")
    })

    it("are not valid when a stored email's links are sent in another email", async () => {
      const { links } = await subscribe()
      const mail = mailOf(account)
      const sent = async (html: string) => {
        const { id } = await mail.send("reader@stored.example", { html })
        await mail.settled(id, "Delivered")
        const [message] = await mail.messagesOf(id)
        const inInbox = await account.manage<{ html: string }>("GET", `/inbox/${message!.id}`)
        const stored = await account.manage<{ html: string }>("GET", `/emails/${id}/content`)
        return { inInbox: inInbox.value.html, stored: stored.value.html }
      }
      const linkOf = (html: string) => /\/p\/[\w.-]+/.exec(html)![0]
      const first = await sent(`<a href="https://x.test${links.preferences}">Preferences</a>`)
      expect(linkOf(first.inInbox)).toBe(links.preferences)
      expect((await show(linkOf(first.stored))).status).toBe(404)
      const second = await sent(first.stored)
      for (const html of [second.inInbox, second.stored]) expect((await show(linkOf(html))).status).toBe(404)
    })

    it("accept any form, except a huge one", async () => {
      const { links } = await subscribe()
      const bytes = Uint8Array.from({ length: 512 }, (_, index) => index % 256)
      const odd = await target().fetch(links.preferences, {
        method: "POST",
        body: bytes,
        redirect: "manual"
      })
      expect(odd.status).toBe(303)
      const large = await target().fetch(links.preferences, { method: "POST", body: "a".repeat(70_000) })
      expect(large.status).toBe(413)
    })

    it("record contact.subscribed on the timeline whenever consent becomes Subscribed", async () => {
      const { contact, links } = await subscribe()
      const timeline = async () =>
        (await account.manage<Page<TimelineEntry>>("GET", `/contacts/${contact.id}/timeline`)).value
      expect(await timeline()).toMatchObject({
        items: [{ name: "contact.subscribed", properties: {}, source: "Service" }],
        totalCount: 1
      })
      await account.api("POST", "/contacts", { id: contact.id, consent: subscribed })
      expect((await timeline()).totalCount).toBe(1)
      await post(links.unsubscribe, {})
      await account.api("POST", "/contacts", { id: contact.id, consent: subscribed })
      const { items } = await timeline()
      expect(items.map((entry) => entry.name)).toEqual(["contact.subscribed", "contact.subscribed"])
      expect(items[0]!.occurredAt >= items[1]!.occurredAt).toBe(true)
      const [first] = (
        await account.manage<Page<TimelineEntry>>("GET", `/contacts/${contact.id}/timeline?page=2&pageSize=1`)
      ).value.items
      expect(first).toEqual(items[1])
    })
  })
