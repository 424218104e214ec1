/**
 * Templates (docs/contributing/management-api.md A/templates).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { mailOf } from "../../support/mail.ts"
import { dateTimePattern, idPattern, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

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
        name: "Welcome",
        subject: "Hello {{ name }}",
        html: "<p>{{ name }}</p>\n",
        text: null,
        createdAt,
        updatedAt: createdAt
      })
      expect(id).toMatch(idPattern)
      expect(createdAt).toMatch(dateTimePattern)
      const { manage } = workspace.sandbox
      expect((await manage<Template>("GET", `/templates/${id.toUpperCase()}`)).value).toEqual(answer.value)
      expect((await manage<Page<Template>>("GET", "/templates?pageSize=1")).value.items).toEqual([
        answer.value
      ])

      const changed = await manage<Template>("PATCH", `/templates/${id}`, {
        name: "Hi",
        text: "Hello {{ name }}"
      })
      expect(changed.value).toEqual({
        ...answer.value,
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

    it.each<[object, string, number, number]>([
      [{ html: "<p>\n  {{ name | unknown }}</p>" }, "html", 2, 3],
      [{ html: "{% if a %}" }, "html", 1, 1],
      [{ text: "\n\n{{ a" }, "text", 3, 1],
      [{ subject: "a {% foo %}", text: "x" }, "subject", 1, 3],
      [{ html: "{% include 'etc/passwd' %}" }, "html", 1, 1],
      [{ html: "<mjml>\n<mj-body>\n<mj-foo></mj-foo></mj-body></mjml>" }, "html", 3, 1],
      [{ html: "<mjml>\n<mj-body>" }, "html", 2, 10]
    ])("reject invalid syntax when saved, with line and column: %o", async (write, field, line, column) => {
      const { id } = (await create({ text: "x" })).value
      for (const answer of [
        await create(write),
        await workspace.sandbox.manage("PATCH", `/templates/${id}`, write)
      ]) {
        expect([answer.status, answer.fields]).toEqual([400, [field]])
        expect(answer.envelope?.errors).toMatchObject([
          { code: "sending.template_invalid", params: { line, column } }
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

    it("are the content of an email, in the version when it was accepted", async () => {
      const { id } = (
        await create({ subject: "Hi {{ name }}", html: "<p>{{ name }}</p>", text: "{{ name }}" })
      ).value
      const mail = mailOf(workspace.sandbox)
      const sent = await mail.post({ to: "ada@example.org", templateId: id, variables: { name: "A & B" } })
      await workspace.sandbox.manage("DELETE", `/templates/${id}`)
      expect(await mail.settled(sent.value.id, "Delivered")).toMatchObject({ templateId: id })
      expect(await mail.messagesOf(sent.value.id)).toMatchObject([
        { subject: "Hi A & B", html: "<p>A &amp; B</p>", text: "A & B" }
      ])
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
