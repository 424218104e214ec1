/**
 * Tests templates (docs/contributing/management-api.md A/templates).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { mailOf } from "../../support/mail.ts"
import { dateTimePattern, idPattern, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage as manageOf, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface Template {
  readonly id: string
  readonly name: string
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

interface Rendered {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

const unknown = "01890a5d-ac96-774b-bcce-b302099a8057"

export const templatesSuite = (target: () => Target) =>
  describe("templates", () => {
    let workspace: Workspace
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Templates")
    })
    const create = (write: object) =>
      workspace.sandbox.manage<Template>("POST", "/templates", {
        name: "Welcome",
        subject: "Hello",
        ...write
      })
    const render = (id: string, variables?: unknown) =>
      workspace.sandbox.manage<Rendered>("POST", `/templates/${id}/render`, { variables })

    /** A token of the company with some rights. */
    const workspaceToken = async (rights: ReadonlyArray<string>): Promise<string> =>
      (
        await manageOf<{ readonly token: string }>(
          target(),
          "POST",
          `/companies/${workspace.companyId}/tokens`,
          { json: { name: "suite", rights, expiresInDays: null } }
        )
      ).value.token

    it("refer to items of the catalogue by id, and recommend some of a category", async () => {
      for (const item of [
        { id: "sku 1", name: "Trail <shoe>", price: 89.9, currency: "EUR", categories: ["Shoes"] },
        { id: "sku-2", name: "Road shoe", categories: ["Shoes"] },
        { id: "sku-3", name: "Sold out", categories: ["Shoes"], inStock: false }
      ]) {
        expect((await workspace.sandbox.api("POST", "/items", item)).status).toBe(201)
      }
      const { value } = await create({
        subject: "{{ item['sku 1'].name }} {{ item.missing.name }}",
        html: "<p>{{ item[sku].name }}</p>",
        text: "{% for shoe in recommend.Shoes %}{{ shoe.name }};{% endfor %}"
      })
      expect((await render(value.id, { sku: "sku 1" })).value).toEqual({
        subject: "Trail <shoe>",
        html: "<p>Trail &lt;shoe&gt;</p>",
        text: "Road shoe;Trail <shoe>;"
      })
    })

    it("are created, read, listed, changed and deleted", async () => {
      const answer = await create({
        name: "  Welcome ",
        subject: " Hello {{ name }} ",
        html: "<p>{{ name }}</p>\n"
      })
      expect(answer.status).toBe(201)
      const { createdAt, id } = answer.value
      expect(answer.value).toEqual({
        id,
        version: 1,
        name: "Welcome",
        subject: "Hello {{ name }}",
        format: "Html",
        source: null,
        preheader: null,
        html: "<p>{{ name }}</p>\n",
        text: null,
        createdAt,
        updatedAt: createdAt,
        updatedBy: { kind: "Token", id: null, name: "management" }
      })
      expect(id).toMatch(idPattern)
      expect(createdAt).toMatch(dateTimePattern)
      const { manage } = workspace.sandbox
      expect((await manage<Template>("GET", `/templates/${id.toUpperCase()}`)).value).toEqual(answer.value)
      expect((await manage<Page<Template>>("GET", "/templates?pageSize=1")).value.items).toEqual([
        { ...answer.value, lastUsedAt: null }
      ])

      const changed = await manage<Template>("PATCH", `/templates/${id}`, {
        name: "Hi",
        text: "Hello {{ name }}"
      })
      expect(changed.value).toEqual({
        ...answer.value,
        version: 2,
        name: "Hi",
        text: "Hello {{ name }}",
        updatedAt: changed.value.updatedAt
      })
      const plain = await manage<Template>("PATCH", `/templates/${id}`, { html: null })
      expect(plain.value).toMatchObject({ html: null, text: "Hello {{ name }}" })
      expect((await manage("PATCH", `/templates/${id}`, { text: "" })).codes).toEqual([
        "sending.content_required"
      ])
      expect((await manage<Template>("GET", `/templates/${id}`)).value).toEqual(plain.value)

      expect(await manage("DELETE", `/templates/${id}`)).toMatchObject({ status: 200, value: null })
      for (const [method, path] of [
        ["DELETE", ""],
        ["GET", ""],
        ["PATCH", ""],
        ["POST", "/render"]
      ] as const) {
        const gone = await manage(method, `/templates/${id}${path}`, method === "GET" ? undefined : {})
        expect([gone.status, gone.codes]).toEqual([404, ["common.not_found"]])
      }
    })

    it("are isolated by account", async () => {
      const { id } = (await create({ text: "x" })).value
      expect((await workspace.live.manage("GET", `/templates/${id}`)).status).toBe(404)
      expect((await workspace.live.manage("PATCH", `/templates/${id}`, { name: "x" })).status).toBe(404)
      expect((await workspace.live.manage("DELETE", `/templates/${id}`)).status).toBe(404)
      expect((await workspace.live.manage<Page<Template>>("GET", "/templates")).value.totalCount).toBe(0)
      expect((await workspace.sandbox.manage("GET", `/templates/${unknown}`)).status).toBe(404)
      expect((await workspace.sandbox.manage("GET", "/templates/none")).status).toBe(404)
    })

    it.each<[object, string, string]>([
      [{ name: " ", text: "x" }, "name", "validation.required"],
      [{ name: "x".repeat(201), text: "x" }, "name", "validation.max_length"],
      [{ subject: "", text: "x" }, "subject", "validation.required"],
      [{ subject: "x".repeat(1001), text: "x" }, "subject", "validation.max_length"],
      [{ name: "a\0b", text: "x" }, "name", "validation.format"],
      [{ text: "a\0b" }, "text", "validation.format"],
      [{}, "html", "sending.content_required"],
      [{ html: " ", text: null }, "html", "sending.content_required"],
      [{ html: "x".repeat(500_001) }, "html", "validation.max_length"],
      [{ text: "x".repeat(500_001) }, "text", "validation.max_length"]
    ])("reject %o", async (write, field, code) => {
      const answer = await create(write)
      expect([answer.status, answer.fields, answer.codes]).toEqual([400, [field], [code]])
    })

    it("reject a body of another shape", async () => {
      for (const body of [
        { name: 1, subject: "x", text: "x" },
        { subject: "x", text: "x" },
        { text: ["x"] }
      ]) {
        const answer = await workspace.sandbox.manage("POST", "/templates", body)
        expect([answer.status, answer.refusal === null]).toEqual([400, false])
      }
      const { id } = (await create({ text: "x" })).value
      expect((await render(id, "x")).refusal).not.toBeNull()
    })

    it.each<[object, string, number, number, string]>([
      [{ html: "<p>\n  {{ name | unknown }}</p>" }, "html", 2, 3, "unknown filter"],
      [{ html: "{% if a %}" }, "html", 1, 1, "not closed"],
      [{ text: "\n\n{{ a" }, "text", 3, 1, "not closed"],
      [{ subject: "a {% foo %}", text: "x" }, "subject", 1, 3, "unknown tag"],
      [{ html: "{% include 'etc/passwd' %}" }, "html", 1, 1, "unknown tag"],
      [{ html: "<mjml>\n<mj-body>\n<mj-foo></mj-foo></mj-body></mjml>" }, "html", 3, 1, "unknown element"],
      [{ html: "<mjml>\n<mj-body>" }, "html", 2, 10, "not MJML"]
    ])("reject invalid syntax when saved, with line, column and reason: %o", async (...given) => {
      const [write, field, line, column, reason] = given
      const { id } = (await create({ text: "x" })).value
      for (const answer of [
        await create(write),
        await workspace.sandbox.manage("PATCH", `/templates/${id}`, write)
      ]) {
        expect([answer.status, answer.fields]).toEqual([400, [field]])
        expect(answer.envelope?.errors).toMatchObject([
          {
            code: "sending.template_invalid",
            params: { line, column },
            message: `The template does not parse at line ${line}, column ${column}: ${reason}.`
          }
        ])
      }
    })

    it("render escaped in html and unescaped in subject and text, on one line in the subject", async () => {
      const source = "{{ name }} {{ variables.name }}{{ list }}{{ object }}{{ unknown.of.it }}"
      const { id } = (await create({ subject: source, html: `<p>${source}</p>`, text: source })).value
      const name = `<b> & "you"\r\nBcc: x@y.example`
      const answer = await render(id, { name, list: ["x"], object: { a: 1 } })
      expect(answer.status).toBe(200)
      const escaped = "&lt;b&gt; &amp; &quot;you&quot;\r\nBcc: x@y.example"
      expect(answer.value).toEqual({
        subject: `${name.replace("\r\n", " ")} ${name.replace("\r\n", " ")}`,
        html: `<p>${escaped} ${escaped}</p>`,
        text: `${name} ${name}`
      })
      expect((await render(id)).value).toEqual({ subject: "", html: "<p> </p>", text: " " })
      expect((await render(id, { __proto__: null, constructor: "c" })).status).toBe(200)
    })

    it("render MJML, with Liquid in it", async () => {
      const html = `<!-- Rows -->
        <mjml><mj-body>
          <mj-raw>{% for row in rows %}</mj-raw>
          <mj-section><mj-column><mj-text>{{ row.name }}{% if row.price < 5 %} cheap{% endif %}</mj-text>
          <mj-button href="{{ row.url }}">Buy</mj-button></mj-column></mj-section>
          <mj-raw>{% endfor %}</mj-raw>
        </mj-body></mjml>`
      const { id, ...template } = (await create({ html })).value
      expect(template.html).toBe(html)
      const rows = [
        { name: "A & B", price: 1, url: "https://shop.example/a" },
        { name: "C", price: 9, url: "https://shop.example/c" }
      ]
      const rendered = (await render(id, { rows })).value
      expect(rendered.html).toMatch(/^<!doctype html>/i)
      expect(rendered.html).toContain(">A &amp; B cheap<")
      expect(rendered.html).toContain(">C<")
      expect(rendered.html).toContain('href="https://shop.example/c"')
      expect(rendered.html).not.toMatch(/<mj-|\{[{%]/)
      expect(rendered.text).toBeNull()
    })

    it("are compiled from MJML, with a preheader that their emails hide at the beginning", async () => {
      const source =
        "<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{ name }}</mj-text></mj-column></mj-section></mj-body></mjml>"
      const { value } = await create({ format: "Mjml", source, preheader: " {{ name }} & <co> " })
      expect(value).toMatchObject({ format: "Mjml", source, preheader: "{{ name }} & <co>" })
      expect(value.html).toContain("Hi {{ name }}")
      const { html } = (await render(value.id, { name: "A & B" })).value
      expect(html).toMatch(/<body[^>]*><div style="display:none[^"]*">A &amp; B &amp; &lt;co&gt;<\/div>/)
      const { manage } = workspace.sandbox
      const patch = (json: object) => manage<Template>("PATCH", `/templates/${value.id}`, json)
      for (const [json, field, code] of [
        [{ html: "<p></p>" }, "html", "validation.format"],
        [{ source: "<mjml><mj-x/></mjml>" }, "source", "sending.template_invalid"],
        [{ source: null }, "source", "sending.content_required"],
        [{ format: "Html", source }, "source", "validation.format"],
        [{ preheader: "{{ a" }, "preheader", "sending.template_invalid"],
        [{ preheader: "x".repeat(501) }, "preheader", "validation.max_length"]
      ] as const) {
        const answer = await patch(json)
        expect([json, answer.status, answer.fields, answer.codes]).toEqual([
          json,
          400,
          field === "source" && code === "validation.format" ? expect.arrayContaining([field]) : [field],
          expect.arrayContaining([code])
        ])
      }
      const plain = await patch({ format: "Html", html: "<p>x</p>", preheader: null })
      expect(plain.value).toMatchObject({ format: "Html", source: null, preheader: null, html: "<p>x</p>" })
    })

    it("keep their versions, which can be read and restored", async () => {
      const { manage } = workspace.sandbox
      const { id } = (await create({ name: "First", html: "<p>1</p>", preheader: "one" })).value
      await manage("PATCH", `/templates/${id}`, { name: "Second", html: "<p>2</p>" })
      const path = `/templates/${id}/versions`
      const { items } = (await manage<Page<{ version: number; savedBy: object }>>("GET", path)).value
      expect(items).toMatchObject([
        { version: 2, name: "Second", savedBy: { kind: "Token", name: "management" } },
        { version: 1, name: "First" }
      ])
      const restore = (version: number) => manage<Template>("POST", `/templates/${id}/restore`, { version })
      expect((await restore(1)).value).toMatchObject({ version: 3, name: "First", html: "<p>1</p>" })
      expect((await manage("GET", `${path}/2`)).value).toMatchObject({ version: 2, html: "<p>2</p>" })
      expect((await manage("GET", `${path}/3`)).value).toMatchObject({ name: "First", preheader: "one" })
      for (const version of [0, 4, -1, 99_999_999_999]) {
        expect([version, (await restore(version)).codes]).toEqual([version, ["common.not_found"]])
      }
      await manage("DELETE", `/templates/${id}`)
      expect((await manage("GET", path)).status).toBe(404)
    })

    it("say where they are used", async () => {
      const { manage } = workspace.sandbox
      const { id } = (await create({ text: "x" })).value
      const usage = async () => (await manage<object>("GET", `/templates/${id}/usage`)).value
      expect(await usage()).toEqual({ flows: [], campaigns: [], lastUsedAt: null })
      const flow = await manage<{ id: string }>("POST", "/flows", {
        name: "Uses it",
        trigger: { kind: "Api" },
        steps: [{ id: "e", kind: "SendEmail", purpose: "Transactional", templateId: id }]
      })
      const campaign = await manage<{ id: string }>("POST", "/campaigns", {
        name: "Sends it",
        content: { templateId: id }
      })
      expect([campaign.status, campaign.codes]).toEqual([201, []])
      const listed = async () =>
        (await manage<Page<{ id: string; lastUsedAt: string | null }>>("GET", "/templates")).value.items.find(
          (one) => one.id === id
        )
      expect(await listed()).toMatchObject({ lastUsedAt: null })
      await mailOf(workspace.sandbox).post({ to: "ada@example.org", templateId: id })
      expect(await usage()).toEqual({
        flows: [{ id: flow.value.id, name: "Uses it", status: "Draft", isPublished: false }],
        campaigns: [{ id: campaign.value.id, name: "Sends it", status: "Draft" }],
        lastUsedAt: expect.stringMatching(dateTimePattern)
      })
      expect(await listed()).toMatchObject({ lastUsedAt: expect.stringMatching(dateTimePattern) })
    })

    it("are shown as they are saved, in a frame that runs nothing", async () => {
      const show = (id: string) =>
        target().fetch(`/manage/v1/accounts/${workspace.sandbox.accountId}/templates/${id}/frame`, {
          headers: { authorization: `Bearer ${target().managementToken}` }
        })
      const html = "<script>1</script><p>Dear {{ contact.firstName | default: 'reader' }}</p>"
      const found = await show((await create({ html })).value.id)
      expect([found.status, await found.text()]).toEqual([200, "<script>1</script><p>Dear reader</p>"])
      expect(found.headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; .*; sandbox allow-popups/
      )
      expect(await (await show((await create({ text: "a < b" })).value.id)).text()).toContain("a &lt; b")
      expect((await show("00000000-0000-4000-8000-000000000000")).status).toBe(404)
    })

    it("are previewed before they are saved, with what is wrong with them, in a frame that runs nothing", async () => {
      const { manage } = workspace.sandbox
      interface Preview extends Rendered {
        readonly preheader: string | null
        readonly problems: ReadonlyArray<{ readonly code: string; readonly field: string }>
        readonly findings: ReadonlyArray<{ readonly rule: string; readonly field: string }>
        readonly frameUrl: string | null
      }
      const preview = (json: object) => manage<Preview>("POST", "/templates/preview", json)
      const person = await workspace.sandbox.api<{ contact: { id: string } }>("POST", "/contacts", {
        email: "preview@example.org",
        firstName: "Ada <3"
      })
      const draft = {
        subject: "Hi {{ contact.firstName }}",
        html: "<script>alert(1)</script><p>{{ contact.firstName }} {{ n }}</p>",
        text: "{{ contact.firstName }}",
        preheader: "p",
        variables: { n: 7 },
        contactId: person.value.contact.id
      }
      const { problems, ...shown } = (await preview(draft)).value
      expect(problems).toEqual([])
      const rulesOf = (findings: typeof shown.findings) =>
        findings.map(({ field, rule }) => `${field} ${rule}`)
      expect(rulesOf(shown.findings)).toEqual(["html NO_UNSUBSCRIBE_LINK"])
      const lacking = await preview({
        ...draft,
        html: "<p>{{ contact.city }} {{ event.plan }}</p><img src='https://shop.example/a.png'><a href='http://shop.example'>a</a>{{ unsubscribeUrl }}",
        text: null
      })
      expect(rulesOf(lacking.value.findings)).toEqual([
        "html VALUE_MISSING",
        "html IMAGE_WITHOUT_TEXT",
        "html LINK_QUESTIONABLE"
      ])
      const named = await preview({ ...draft, subject: "BUY IT NOW", text: "Zwei Becher" })
      expect(rulesOf(named.value.findings)).toEqual([
        "subject SUBJ_ALL_CAPS",
        "html NO_UNSUBSCRIBE_LINK",
        "text MPART_ALT_DIFF"
      ])
      expect(shown).toMatchObject({ subject: "Hi Ada <3", preheader: "p", text: "Ada <3" })
      expect(shown.html).toContain("<p>Ada &lt;3 7</p>")
      const frame = (path: string, token = target().managementToken) =>
        target().fetch(path, { headers: { authorization: `Bearer ${token}` } })
      const found = await frame(shown.frameUrl!)
      expect([found.status, await found.text()]).toEqual([200, shown.html])
      expect(found.headers.get("content-type")).toBe("text/html; charset=utf-8")
      // From the network, only uploaded images may be loaded.
      expect(found.headers.get("content-security-policy")?.replace(/ http\S+\/i\/;/, ";")).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; " +
          "frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"
      )
      const other = await workspaceToken(["templates:read"])
      expect((await frame(shown.frameUrl!, other)).status).toBe(404)
      const denied = await target().fetch(
        `/manage/v1/accounts/${workspace.sandbox.accountId}/templates/preview`,
        {
          method: "POST",
          headers: { authorization: `Bearer ${other}`, "content-type": "application/json" },
          body: JSON.stringify(draft)
        }
      )
      expect(denied.status).toBe(403)
      const { advance } = target()
      if (advance !== null) {
        await advance("11 minutes")
        expect((await frame(shown.frameUrl!)).status).toBe(404)
      }
      const broken = (await preview({ subject: "{{ a", html: "<p></p>" })).value
      expect(broken).toMatchObject({ subject: null, html: null, text: null, frameUrl: null })
      expect(broken.problems).toMatchObject([
        { code: "sending.template_invalid", field: "subject", params: { line: 1 } }
      ])
      const empty = (await preview({ subject: "{{ nothing }}", text: "x" })).value
      expect(empty).toMatchObject({ subject: "", text: "x", frameUrl: null })
      expect(empty.problems).toMatchObject([{ code: "validation.required", field: "subject" }])
      for (const contactId of [unknown, "x"]) {
        expect((await preview({ ...draft, contactId })).codes).toEqual(["audience.contact_not_found"])
      }
      for (const n of ["\0", "\ud800"]) {
        const unstorable = (await preview({ ...draft, html: "<p>{{ n }}</p>", variables: { n } })).value
        expect(unstorable).toMatchObject({ frameUrl: null, problems: [{ field: "html" }] })
      }
      // Erasing a person also deletes previews that show the person.
      const last = (await preview(draft)).value
      expect((await frame(last.frameUrl!)).status).toBe(200)
      await workspace.sandbox.api("DELETE", `/contacts/${person.value.contact.id}`)
      expect((await frame(last.frameUrl!)).status).toBe(404)
    })

    it("are tried with an email to one address", async () => {
      const { manage } = workspace.sandbox
      const mail = mailOf(workspace.sandbox)
      const person = await workspace.sandbox.api<{ contact: { id: string } }>("POST", "/contacts", {
        email: "tried@example.org",
        firstName: "Grace"
      })
      const { id } = (await create({ subject: "Hi {{ contact.firstName }}", text: "x" })).value
      const send = (json: object) => manage<{ emailId: string }>("POST", `/templates/${id}/test`, json)
      const sent = await send({ to: "me@example.org", contactId: person.value.contact.id })
      expect(sent.status).toBe(202)
      await mail.settled(sent.value.emailId, "Delivered")
      expect(await mail.messagesOf(sent.value.emailId)).toMatchObject([{ subject: "Hi Grace" }])
      expect((await send({ to: "nobody" })).fields).toEqual(["to"])
      expect((await manage("POST", `/templates/${unknown}/test`, { to: "me@example.org" })).status).toBe(404)
    })

    it("can begin as a starter, each of which is valid", async () => {
      const { manage } = workspace.sandbox
      const starters = (
        await manage<ReadonlyArray<{ key: string; description: string; sample: object }>>(
          "GET",
          "/template-starters"
        )
      ).value
      expect(starters.map(({ key }) => key).slice(0, 4)).toEqual([
        "welcome",
        "password_reset",
        "receipt",
        "newsletter"
      ])
      expect(starters).toHaveLength(10)
      for (const { description: _description, key, sample, ...starter } of starters) {
        expect([key, (await create(starter)).status]).toEqual([key, 201])
        expect([key, typeof sample]).toEqual([key, "object"])
      }
      // The thumbnail shows the template with its sample values.
      const picture = await target().fetch(
        `/manage/v1/accounts/${workspace.sandbox.accountId}/template-starters/receipt/frame`,
        { headers: { authorization: `Bearer ${target().managementToken}` } }
      )
      expect([picture.status, (await picture.text()).includes("Notebook")]).toEqual([200, true])
      expect((await manage("GET", "/template-starters/none/frame")).status).toBe(404)
    })

    it("can be made of blocks, which are compiled when they are saved", async () => {
      const block = (values: object) => ({ kind: "Text", text: "Hello {{ name }} & **all**", ...values })
      const source = (...blocks: ReadonlyArray<unknown>) =>
        JSON.stringify({ colors: { accent: "#AA0000" }, blocks })
      const made = await create({ format: "Blocks", source: source(block({})) })
      expect(made.status).toBe(201)
      expect(made.value).toMatchObject({ format: "Blocks", source: source(block({})) })
      expect(made.value.html).toContain("Hello {{ name }} &amp; <strong>all</strong>")
      const refused = async (...blocks: ReadonlyArray<unknown>) => {
        const { codes, fields, status } = await create({ format: "Blocks", source: source(...blocks) })
        return [status, ...codes, ...fields]
      }
      const link = { kind: "Button", label: "Go", href: "javascript:alert(1)" }
      expect(await refused(block({}), { kind: "Columns", columns: [[link]] })).toEqual([
        400,
        "validation.format",
        "source.blocks[1].columns[0][0].href"
      ])
      expect(await refused(block({ text: "{{ name" }))).toEqual([
        400,
        "sending.template_invalid",
        "source.blocks[0].text"
      ])
      expect(await refused({ kind: "Script" })).toEqual([400, "validation.format", "source.blocks[0].kind"])
      const none = await create({ format: "Blocks", source: "[" })
      expect([none.status, ...none.codes, ...none.fields]).toEqual([400, "validation.format", "source"])
    })

    it("are the content of an email, in the version when it was accepted", async () => {
      const { id } = (
        await create({ subject: "Hi {{ name }}", html: "<p>{{ name }}</p>", text: "{{ name }}" })
      ).value
      const mail = mailOf(workspace.sandbox)
      const sent = await mail.post({ to: "ada@example.org", templateId: id, variables: { name: "A & B" } })
      await workspace.sandbox.manage("DELETE", `/templates/${id}`)
      expect(await mail.settled(sent.value.id, "Delivered")).toMatchObject({ templateId: id })
      expect(await mail.messagesOf(sent.value.id)).toMatchObject([
        { subject: "Hi A & B", html: expect.stringContaining("<p>A &amp; B</p>"), text: "A & B" }
      ])
    })

    it("are kept with their version in emails of the API, of flows and of campaigns, and when one is sent again", async () => {
      const { api, manage } = workspace.sandbox
      const { id } = (await create({ text: "first" })).value
      expect((await manage("PATCH", `/templates/${id}`, { text: "second" })).status).toBe(200)
      const contact = { email: "versions@people.example", city: "Versions", consent: { basis: "Customer" } }
      const person = await api<{ contact: { id: string } }>("POST", "/contacts", contact)
      const read = async (emailId: string) =>
        (await manage<{ source: string; templateVersion: number | null }>("GET", `/emails/${emailId}`)).value
      const post = async (more: object) =>
        (await api<{ id: string }>("POST", "/sending/emails", { to: contact.email, ...more })).value.id
      const sent = await post({ templateId: id })
      expect(await read(await post({ subject: "Own", text: "own" }))).toMatchObject({ templateVersion: null })
      const again = await manage<{ id: string }>("POST", `/emails/${sent}/resend`, {})

      const step = { id: "e", kind: "SendEmail", purpose: "Transactional", templateId: id }
      const flow = await manage<{ id: string }>("POST", "/flows", {
        name: "Versions",
        trigger: { kind: "Api" },
        steps: [step]
      })
      await manage("POST", `/flows/${flow.value.id}/publish`, {})
      const started = { contactId: person.value.contact.id }
      expect((await manage("POST", `/flows/${flow.value.id}/start`, started)).codes).toEqual([])

      const segment = await manage<{ id: string }>("POST", "/segments", {
        name: "Versions",
        definition: {
          join: "All",
          rules: [{ fieldKey: "city", operator: "Equals", value: contact.city }]
        }
      })
      const campaign = await manage<{ id: string }>("POST", "/campaigns", {
        name: "Versions",
        content: { templateId: id, templateVersion: 1 },
        audience: { segments: [segment.value.id] }
      })
      expect((await manage("POST", `/campaigns/${campaign.value.id}/launch`, {})).codes).toEqual([])
      const listed = await eventually(
        () => manage<Page<{ id: string }>>("GET", `/emails?templateId=${id}`),
        ({ value }) => value.totalCount === 4
      )
      const versions = await Promise.all(listed.value.items.map((one) => read(one.id)))
      expect(versions.map((one) => [one.source, one.templateVersion]).toSorted()).toEqual([
        ["Api", 2],
        ["Api", 2],
        ["Campaign", 1],
        ["Flow", 2]
      ])
      expect(await read(again.value.id)).toMatchObject({ templateVersion: 2 })
    })

    it("that exceed a limit, or get an invalid value, are rejected when rendered", async () => {
      for (const text of ["{% for i in (1..1000000000) %}a{% endfor %}", "{{ a | append }}"]) {
        const { id } = (await create({ text })).value
        const answer = await render(id, { a: 1 })
        expect([answer.status, answer.fields, answer.codes]).toEqual([
          400,
          ["variables"],
          ["sending.template_render_failed"]
        ])
      }
    })

    it("are recorded in the audit log without their bodies", async () => {
      const { id } = (await create({ text: "secret body" })).value
      await workspace.sandbox.manage("PATCH", `/templates/${id}`, { name: "Renamed" })
      await workspace.sandbox.manage("DELETE", `/templates/${id}`)
      const log = await workspace.sandbox.manage<Page<{ action: string; target: { id: string } }>>(
        "GET",
        "/audit-log"
      )
      const entries = log.value.items.filter((entry) => entry.target.id === id)
      expect(entries.map((entry) => entry.action)).toEqual([
        "template.deleted",
        "template.changed",
        "template.created"
      ])
      expect(JSON.stringify(entries)).not.toContain("secret body")
    })
  })
