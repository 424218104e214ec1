/**
 * Tests the documentation site, read over HTTP on every runtime.
 *
 * @module
 */
import { Parser } from "htmlparser2"
import MiniSearch from "minisearch"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isHighlighted, plainLanguages } from "../../adapters/http/pages/site/SiteHighlight.ts"
import { renderMarkdown } from "../../adapters/http/pages/site/SiteMarkdown.ts"
import { startEmbedded, startProcess, type Target } from "../support/targets.ts"
import { blocksOf, pageNames, sourceOf } from "./blocks.ts"

interface Page {
  readonly links: ReadonlyArray<string>
  readonly ids: ReadonlyArray<string>
  readonly title: string
}

const read = (markup: string): Page => {
  const links: Array<string> = []
  const ids: Array<string> = []
  let title = ""
  let inTitle = false
  const parser = new Parser({
    onopentag: (name, { href, id, src }) => {
      inTitle = name === "title"
      links.push(...[href, src].filter((link) => link !== undefined))
      if (id !== undefined) ids.push(id)
    },
    ontext: (text) => {
      if (inTitle) title += text
    },
    onclosetag: () => {
      inTitle = false
    }
  })
  parser.end(markup)
  return { links, ids, title }
}

const targets: ReadonlyArray<readonly [string, () => Promise<Target>]> = [
  ["embedded", () => startEmbedded()],
  ["Node", () => startProcess("node", "memory")],
  ["Bun", () => startProcess("bun", "memory")]
]

describe.each(targets)("the documentation site, %s", (_name, open) => {
  let target: Target
  beforeAll(async () => {
    target = await open()
  })
  afterAll(() => target.stop())

  it("links to every page from its first one, and has no broken link or anchor", async () => {
    const pages = new Map<string, Page | null>()
    const toVisit = ["/docs"]
    const followed: Array<readonly [from: string, path: string, anchor: string]> = []
    for (let path = toVisit.pop(); path !== undefined; path = toVisit.pop()) {
      if (pages.has(path)) continue
      const response = await target.fetch(path)
      expect([path, response.status]).toEqual([path, 200])
      const isPage = response.headers.get("content-type")!.startsWith("text/html")
      const body = await response.text()
      const page = isPage ? read(body) : null
      pages.set(path, page)
      for (const link of page?.links ?? []) {
        const url = new URL(link, target.baseUrl + path)
        if (url.origin !== new URL(target.baseUrl).origin) {
          expect(url.protocol).toMatch(/^(https|data):$/)
          continue
        }
        followed.push([path, url.pathname, url.hash.slice(1)])
        toVisit.push(url.pathname)
      }
    }
    const broken = followed.filter(
      ([, path, anchor]) => anchor !== "" && pages.get(path)?.ids.includes(anchor) !== true
    )
    expect(broken).toEqual([])
    const reached = pageNames.filter((name) => pages.has(name === "index" ? "/docs" : `/docs/${name}`))
    expect(reached).toEqual(pageNames)
    const titles = [...pages.values()].flatMap((page) => page?.title ?? [])
    expect(new Set(titles).size).toBe(titles.length)
  })

  it("has each page as Markdown, with generated parts filled in and working links", async () => {
    for (const path of ["/docs", ...pageNames.map((name) => `/docs/${name}`)]) {
      const response = await target.fetch(`${path}.md`)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
      const text = await response.text()
      expect(text).toMatch(/^# \S/)
      expect(text).not.toContain("<!--")
      for (const [, link = ""] of text.matchAll(/\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)) {
        const { pathname } = new URL(link, `${target.baseUrl}${path}.md`)
        expect([pathname, (await target.fetch(pathname, { method: "HEAD" })).status]).toEqual([pathname, 200])
      }
    }
  })

  it("lists its pages in machine-readable form", async () => {
    const response = await target.fetch("/llms.txt")
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    const text = await response.text()
    for (const name of pageNames.filter((page) => page !== "index")) {
      expect(text).toContain(`](docs/${name}.md): `)
    }
  })

  it("shows people a page at the base URL, with an icon, and programs what any unknown address returns", async () => {
    const ask = (accept: string, method = "GET") => target.fetch("/", { method, headers: { accept } })
    const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    const page = await ask(browser)
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(page.headers.get("vary")).toBe("accept")
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    const { links, title } = read(await page.text())
    expect(title).toBe("svc")
    expect(links).toEqual(
      expect.arrayContaining(["docs", "docs/quick-start", "docs/reference", "favicon.svg"])
    )
    for (const link of links) {
      const { pathname } = new URL(link, `${target.baseUrl}/`)
      expect([pathname, (await target.fetch(pathname)).status]).toEqual([pathname, 200])
    }
    expect((await ask(browser, "HEAD")).status).toBe(200)
    for (const accept of ["*/*", "application/json", "text/html;q=0, */*", ""]) {
      const answer = await ask(accept)
      expect([accept, answer.status]).toEqual([accept, 404])
      expect(await answer.json()).toMatchObject({ isSuccess: false, errors: [{ code: "common.not_found" }] })
    }
    for (const path of ["/favicon.svg", "/favicon.ico"]) {
      const icon = await target.fetch(path)
      expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"])
      expect(await icon.text()).toMatch(/^<svg /)
    }
  })

  it("forbids pages to run or load anything but the files of the site", async () => {
    const page = await target.fetch("/docs/contacts")
    const policy = page.headers.get("content-security-policy")!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|https?:/)
    const markup = await page.text()
    expect(markup.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="assets/site.js">'])
    expect(markup).not.toMatch(/<iframe|\son\w+=/i)
    expect(page.headers.get("x-content-type-options")).toBe("nosniff")
    expect(page.headers.get("referrer-policy")).toBe("no-referrer")

    const reference = await target.fetch("/docs/reference")
    const viewer = reference.headers.get("content-security-policy")!
    expect(viewer).toContain("script-src 'self';")
    expect(viewer).not.toMatch(/unsafe|https?:/)
    expect((await reference.text()).match(/<script[^>]*>/g)).toEqual([
      '<script type="module" src="assets/site.js">',
      '<script src="assets/swagger-ui-bundle.js">',
      '<script src="assets/reference.js">'
    ])
  })

  it("has all pages in one text", async () => {
    const response = await target.fetch("/llms-full.txt")
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    const text = await response.text()
    expect(text).not.toContain("<!--")
    for (const name of pageNames)
      expect(text).toContain(`\n# ${/^# (.+)$/m.exec(sourceOf(name))![1]}\n`.slice(name === "index" ? 1 : 0))
    expect(text).toContain("| `common.not_found` | 404 |")
  })

  it("has an index that finds a section by its words, to be searched without another request", async () => {
    const body = await (await target.fetch("/docs/assets/search.json")).text()
    const index = MiniSearch.loadJSON(body, {
      fields: ["title", "heading", "text"],
      storeFields: ["page", "anchor"]
    })
    const firstOf = (query: string) => {
      const [found] = index.search(query, {
        prefix: true,
        combineWith: "AND",
        boost: { title: 3, heading: 2 }
      })
      return `${found?.["page"]}#${found?.["anchor"]}`
    }
    expect(firstOf("idempotency key")).toBe("idempotency#idempotency-keys")
    expect(firstOf("double opt")).toBe("consent#double-opt-in")
    const pages = new Set(index.search(MiniSearch.wildcard).map((found) => String(found["page"])))
    expect([...pages].toSorted()).toEqual([...pageNames].toSorted())
    // The anchors are those of the pages.
    for (const found of index.search("contact").slice(0, 20)) {
      const page = found["page"] === "index" ? "/docs" : `/docs/${found["page"]}`
      const { ids } = read(await (await target.fetch(page)).text())
      if (found["anchor"] !== "")
        expect([page, ids]).toEqual([page, expect.arrayContaining([found["anchor"]])])
    }
    const library = await target.fetch("/docs/assets/minisearch.js")
    expect(library.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(await library.text()).not.toMatch(/^import .*from/m)
  })

  it("marks the parts of code without a script, in every language of the samples", async () => {
    const page = await (await target.fetch("/docs/quick-start")).text()
    expect(page).toContain('<span class="hljs-variable">$BASE</span>')
    const languages = new Set(pageNames.flatMap((name) => blocksOf(name).map(({ language }) => language)))
    const unknown = [...languages].filter(
      (language) => !isHighlighted(language) && !plainLanguages.has(language)
    )
    expect(unknown).toEqual([])
  })

  it("is cached for a while and then revalidated", async () => {
    for (const path of [
      "/docs",
      "/docs/errors",
      "/docs/errors.md",
      "/docs/assets/swagger-ui.css",
      "/docs/assets/search.json",
      "/llms.txt",
      "/llms-full.txt"
    ]) {
      const first = await target.fetch(path)
      const etag = first.headers.get("etag")!
      expect(first.headers.get("cache-control")).toBe("public, max-age=300")
      await first.arrayBuffer()
      const known = { headers: { "if-none-match": `"other", W/${etag}` } }
      const again = await target.fetch(path, known)
      expect([path, again.status, again.headers.get("etag")]).toEqual([path, 304, etag])
      expect(await again.text()).toBe("")
      expect((await target.fetch(path, { ...known, method: "HEAD" })).status).toBe(304)
      expect((await target.fetch(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200)
    }
  })

  it("serves the viewer compressed to clients that accept it, and uncompressed otherwise", async () => {
    const ask = (encoding: string) =>
      target.fetch("/docs/assets/swagger-ui.css", { headers: { "accept-encoding": encoding } })
    const plain = await ask("gzip;q=0, identity")
    expect(plain.headers.get("content-encoding")).toBeNull()
    expect(plain.headers.get("vary")).toBe("accept-encoding")
    const text = await plain.text()
    expect(text).toContain(".swagger-ui")
    const zipped = await ask("br, gzip")
    expect(zipped.headers.get("content-encoding")).toBe("gzip")
    expect(zipped.headers.get("etag")).not.toBe(plain.headers.get("etag"))
  })

  it("returns a help page for an unknown address, and a redirect for a slash at the end", async () => {
    for (const path of ["/docs/nothing", "/docs/nothing.md", "/docs/..%2fREADME.md", "/docs/%00"]) {
      const response = await target.fetch(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.text()).toContain("Page not found")
    }
    expect((await target.fetch("/docs/assets/LICENSE")).status).toBe(404)
    const slash = await target.fetch("/docs/", { redirect: "manual" })
    expect([slash.status, slash.headers.get("location")]).toEqual([308, "../docs"])
  })
})

describe("the Markdown of the site", () => {
  const render = (markdown: string) => renderMarkdown(markdown, "under").content.markup

  it("escapes HTML everywhere", () => {
    const bad = `<img src=x onerror="alert(1)">`
    const rendered = render(
      `# ${bad}\n\n## ${bad}\n\n${bad}\n\na ${bad} b\n\n| ${bad} |\n|---|\n| ${bad} |\n\n\`\`\`"><b>\n${bad}\n\`\`\`\n\n![${bad}](x)`
    )
    const tags = new Set(rendered.match(/<[a-z]\w*/g))
    expect([...tags].sort()).toEqual(
      [
        "<a",
        "<code",
        "<div",
        "<h1",
        "<h2",
        "<p",
        "<pre",
        "<table",
        "<tbody",
        "<td",
        "<th",
        "<thead",
        "<tr"
      ].sort()
    )
    expect(rendered).not.toMatch(/"><b>/)
  })

  it("has a unique anchor for each heading", () => {
    const { headings } = renderMarkdown("## Keys & `limits`\n\n## Keys & limits\n\n### Ünï", "under")
    expect(headings.map(({ anchor }) => anchor)).toEqual(["keys--limits", "keys--limits-1", "ünï"])
  })
})
