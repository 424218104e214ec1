/**
 * Tests that the documentation covers what the code has (variables, codes, permissions, reasons, limits), and that its examples
 * are valid.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { sections } from "../../adapters/http/pages/site/SiteContents.ts"
import { pauseReasons, recipientReasons } from "../../core/model/Campaign.ts"
import { permissions } from "../../core/model/Permission.ts"
import { stepKinds } from "../../core/model/FlowDefinition.ts"
import { variables } from "../../runtimes/config/variables.ts"
import { builtInKeys } from "../../core/model/Segment.ts"
import { deliveryReasons, deliveryStatuses } from "../../core/model/DeliveryStatus.ts"
import { catalogue } from "../../core/shared/Problem.ts"
import { webhookEventTypes } from "../../core/model/Webhook.ts"
import { flowsOf } from "../support/flows.ts"
import { programOf } from "../support/programs.ts"
import { startReceiver } from "../support/receiver.ts"
import type { EmailAccepted } from "../support/shapes.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"
import { blocksOf, blockWith, pageNames, sourceOf } from "./blocks.ts"

const require = createRequire(import.meta.url)
const root = join(import.meta.dirname, "../..")
const blocks = pageNames.flatMap(blocksOf)
const ofLanguage = (language: string) => blocks.filter((block) => block.language === language)

/** The structure of a JSON value: its keys, and the kinds of their values. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== "object" || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, shapeOf(held)]))
}

describe("the sources of the documentation", () => {
  it("are all in the contents, once", () => {
    const listed = ["index", ...sections.flatMap(({ pages }) => pages)]
    expect([...listed].sort()).toEqual([...pageNames].sort())
  })

  it("have every variable of the configuration in a table, and none that there is not", () => {
    const known: ReadonlySet<string> = new Set(variables)
    const rows = sourceOf("configuration")
      .split("\n")
      .filter((line) => line.startsWith("| `SVC_"))
    const documented = new Set(rows.flatMap((row) => row.split("|")[1]!.match(/SVC_[A-Z_]+/g) ?? []))
    expect([...documented].sort()).toEqual([...known].sort())
    // Variables of calling programs and of the tests, not of the service.
    const isOther = (variable: string) => variable === "SVC_KEY" || variable.startsWith("SVC_TEST_")
    for (const name of pageNames) {
      for (const variable of sourceOf(name).match(/\bSVC_[A-Z_]+[A-Z]\b/g) ?? []) {
        expect([name, variable, known.has(variable) || isOther(variable)]).toEqual([name, variable, true])
      }
    }
  })

  it("have the defaults of the main variables in the readme too", () => {
    const rowsOf = (text: string) =>
      [...text.matchAll(/^\| (`SVC_[^|]*) \| ([^|]*) \|/gm)].map(
        ([, names = "", value = ""]) => [names, value.trim()] as const
      )
    const documented = new Map(rowsOf(sourceOf("configuration")))
    const shown = rowsOf(readFileSync(join(root, "README.md"), "utf8"))
    expect(shown.length).toBeGreaterThan(8)
    for (const [names, value] of shown) {
      for (const name of names.split(", ")) {
        expect([name, [...documented.keys()].some((one) => one.includes(name))]).toEqual([name, true])
      }
      const stated = documented.get(names)
      if (value.startsWith("`") && stated !== undefined) expect([names, value]).toEqual([names, stated])
    }
  })

  it("have every state and reason of a delivery, every built-in segment and every event of webhooks", () => {
    const status = sourceOf("email-status")
    for (const word of [...deliveryStatuses, ...deliveryReasons]) expect(status).toContain(`| \`${word}\` |`)
    for (const key of builtInKeys) expect(sourceOf("segments")).toContain(`| \`${key}\` |`)
    for (const type of webhookEventTypes) expect(sourceOf("webhooks")).toContain(`| \`${type}\` |`)
  })

  it("have examples of JSON that parse and of shells that are read", () => {
    for (const { code, page } of ofLanguage("json")) {
      expect(() => JSON.parse(code), `${page}: ${code}`).not.toThrow()
    }
    for (const { code, page } of ofLanguage("sh")) {
      expect(() => execFileSync("bash", ["-n"], { input: code }), `${page}: ${code}`).not.toThrow()
    }
    for (const language of ["json", "sh", "js", "ts"]) expect(ofLanguage(language)).not.toEqual([])
  })

  it("say in which language each block is", () => {
    expect(blocks.filter(({ language }) => language === "")).toEqual([])
  })
})

describe("the page of the command line", () => {
  it("has every command, and none that there is not", () => {
    const help = execFileSync(
      join(root, "node_modules/.bin/node"),
      [programOf("runtimes/cli/main"), "--help"],
      {
        encoding: "utf8"
      }
    )
    const listed = [...help.slice(help.indexOf("SUBCOMMANDS")).matchAll(/^ {2}([a-z-]+) /gm)].map(
      ([, name]) => name
    )
    const documented = [...sourceOf("command-line").matchAll(/^(?:SVC_\w+=\S+ )?svc ([a-z-]+)/gm)].map(
      ([, name]) => name
    )
    expect(listed.length).toBeGreaterThan(5)
    expect([...new Set(documented)].sort()).toEqual([...listed].sort())
  })

  it("has every flag of the help, and none that there is not", () => {
    const help = readFileSync(join(root, "test/runtimes/__snapshots__/help.txt"), "utf8")
    const flagsOf = (text: string, pattern: RegExp) =>
      new Set(Array.from(text.matchAll(pattern), ([, flag]) => flag!))
    const known = flagsOf(help, /^ {2}--([a-z-]+)/gm)
    const documented = flagsOf(sourceOf("command-line"), /--([a-z][a-z-]*)/g)
    // Flags of every command line.
    for (const flag of ["help", "version", "completions"]) {
      known.delete(flag)
      documented.delete(flag)
    }
    expect([...documented].sort()).toEqual([...known].sort())
  })
})

describe("the metrics of the documentation", () => {
  it("are those that the code counts", () => {
    const code = ["adapters", "core", "runtimes"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(join(root, folder, file), "utf8"))
    )
    const counted = code.flatMap(
      (text) => text.match(/(?<=Metric\.\w+\(\s*"|lateMetric = ")svc_\w+(?=")/g) ?? []
    )
    const rows = sourceOf("operations")
      .split("\n")
      .filter((line) => line.startsWith("| `svc_"))
    const documented = rows.flatMap((row) => row.match(/svc_[a-z_]+/g) ?? [])
    expect(documented.length).toBeGreaterThan(10)
    expect([...documented].sort()).toEqual([...new Set(counted)].sort())
  })
})

describe("the reference viewer", () => {
  it.each([
    ["swagger-ui-bundle.js", require.resolve("swagger-ui-dist/swagger-ui-bundle.js")],
    ["swagger-ui.css", require.resolve("swagger-ui-dist/swagger-ui.css")]
  ])("has %s as its package does", (file, original) => {
    // Updated by: gzip -9nc node_modules/swagger-ui-dist/FILE > docs/viewer/FILE.gz
    const kept = gunzipSync(readFileSync(join(root, "docs/viewer", `${file}.gz`)))
    expect(kept.equals(readFileSync(original))).toBe(true)
  })
})

describe("what pages generate and show", () => {
  let target: Target
  beforeAll(async () => {
    target = await startEmbedded()
  })
  afterAll(() => target.stop())
  const page = async (name: string) => (await target.fetch(`/docs/${name}.md`)).text()

  it("has every error with its status and message", async () => {
    const errors = await page("errors")
    for (const [code, { message, status }] of Object.entries(catalogue)) {
      expect(errors).toContain(`| \`${code}\` | ${status} | ${message} |`)
    }
  })

  it("has no code of an error that there is not", async () => {
    const areas = [...new Set(Object.keys(catalogue).map((code) => code.split(".")[0]!))]
    const known = new Set<string>([
      ...Object.keys(catalogue),
      ...deliveryReasons,
      ...pauseReasons,
      ...recipientReasons,
      // A field of segments.
      "campaigns.any"
    ])
    const word = new RegExp(`\`((?:${areas.join("|")})\\.[a-z_]+)\``, "g")
    for (const name of pageNames) {
      for (const [, code = ""] of sourceOf(name).matchAll(word)) {
        expect([name, code, known.has(code)]).toEqual([name, code, true])
      }
    }
  })

  it("has every permission, and every route of the published document", async () => {
    const using = await page("using-the-api")
    for (const permission of permissions) expect(using).toContain(`| \`${permission}\` |`)
    const document = (await (await target.fetch("/openapi/public-v1.json")).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    }
    const all = (await page("reference")) + (await page("flows"))
    for (const path of Object.keys(document.paths)) expect(all).toContain(path)
  })

  it("has an email with every field that the service takes as it stands", async () => {
    const account = (await openWorkspace(target, "Documentation")).sandbox
    await account.manage("POST", "/domains", { domain: "news.example.com" })
    const example: unknown = JSON.parse(blockWith("sending-email", "json", "replyTo"))
    const year = new Date(target.now() + 86_400_000).toISOString()
    const answer = await account.api<EmailAccepted>("POST", "/sending/emails", {
      ...(example as object),
      sendAt: year
    })
    expect([answer.status, answer.codes]).toEqual([201, []])
    const fields = Object.keys(example as object)
    for (const field of fields) expect(sourceOf("sending-email")).toContain(`\`${field}\``)
  })

  it("has an example of consent that the service takes as it stands", async () => {
    const account = (await openWorkspace(target, "Examples")).sandbox
    const consent: unknown = JSON.parse(blockWith("consent", "json", "proof"))
    expect((await account.api("POST", "/contacts", consent)).codes).toEqual([])
  })

  it("has a flow, every kind of step, a story and blueprints as the service has them", async () => {
    const account = (await openWorkspace(target, "Flows")).sandbox
    await account.api("POST", "/contact-attributes", { key: "seats", type: "Number" })
    for (const key of ["onboarded", "time_zone"]) {
      const type = key === "onboarded" ? "Boolean" : "Text"
      await account.api("POST", "/contact-attributes", { key, type })
    }
    for (const key of ["news", "tips"]) await account.manage("POST", "/topics", { key, name: key })
    const template = await account.manage<{ readonly id: string }>("POST", "/templates", {
      name: "Offer",
      subject: "Offer",
      text: "Offer"
    })
    const first = /-d '([^']*)'/.exec(blockWith("flows", "sh", '"stopEvents"'))![1]!
    const made = await account.manage<{ readonly id: string }>("POST", "/flows", JSON.parse(first))
    expect([made.status, made.codes]).toEqual([201, []])
    const steps = ofLanguage("json")
      .filter(({ code, page: on }) => on === "flows" && code.includes('"kind"'))
      .map(({ code }): object => JSON.parse(code))
      .map((step) => ("templateId" in step ? { ...step, templateId: template.value.id } : step))
    const kinds = steps.map((step) => (step as { readonly kind: string }).kind)
    expect([...kinds, "Exit"].toSorted()).toEqual(stepKinds.toSorted())
    for (const kind of stepKinds) expect(sourceOf("flows")).toContain(`| \`${kind}\` |`)
    const all = { name: "All", trigger: { kind: "Api" }, steps: [...steps, { id: "end", kind: "Exit" }] }
    const taken = await account.manage("POST", "/flows", all)
    expect([taken.status, taken.codes, taken.fields]).toEqual([201, [], []])
    const story: unknown = JSON.parse(blockWith("flows", "json", '"events"'))
    const played = await account.manage("POST", `/flows/${made.value.id}/simulate`, story)
    expect([played.status, played.codes]).toEqual([200, []])
    const listed = await account.manage<ReadonlyArray<{ readonly key: string }>>("GET", "/flow-blueprints")
    for (const { key } of listed.value) expect(sourceOf("flows")).toContain(`| \`${key}\` |`)
    const event = /-d '([^']*)'/.exec(blockWith("events", "sh", "user.signed_up"))![1]!
    const reported = await account.api("POST", "/events", JSON.parse(event))
    expect(reported.value).toMatchObject({ accepted: 1, rejected: [] })
  })

  it("has the answer to events, and a Webhook step's request, of the shape they have", async () => {
    const account = (await openWorkspace(target, "Shapes")).sandbox
    const event = (id: string, contact: object) => ({ id, name: "user.signed_up", contact })
    const ada = { email: "ada@example.org" }
    await account.api("POST", "/events", { events: [event("1", ada)] })
    const answer = await account.api("POST", "/events", {
      events: [event("1", ada), event("2", ada), event("3", {})]
    })
    const shown: unknown = JSON.parse(blockWith("events", "json", '"accepted"'))
    expect(shapeOf(answer.value)).toEqual(shapeOf(shown))
    expect(answer.value).toMatchObject(shown as object)

    const receiver = await startReceiver()
    onTestFinished(receiver.stop)
    const flows = flowsOf(account)
    await flows.start("user.upgraded", [{ id: "tell", kind: "Webhook", url: `${receiver.url}/tell` }])
    await flows.report("user.upgraded", { ...ada, firstName: "Ada" }, { plan: "pro" })
    const [request] = await receiver.awaited("/tell", 1)
    const said = JSON.parse(blockWith("flows", "json", '"flow.webhook"')) as Record<string, unknown>
    const sent = JSON.parse(request!.body) as { readonly data: { readonly contact: object } }
    expect(shapeOf({ ...sent, data: { ...sent.data, contact: null } })).toEqual(
      shapeOf({ ...said, data: { ...(said["data"] as object), contact: null } })
    )
    expect(sent.data.contact).toMatchObject((said["data"] as { readonly contact: object }).contact)
  })
})
