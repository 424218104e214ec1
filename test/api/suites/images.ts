/**
 * Tests uploaded images: what is accepted, how it is served, and when it can be deleted (docs/contributing/management-api.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import { gif, jpeg, png, svg, webp } from "../../support/images.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface Image {
  readonly id: string
  readonly url: string
  readonly name: string | null
  readonly type: string
  readonly width: number
  readonly height: number
  readonly bytes: number
}

export const imagesSuite = (target: () => Target) =>
  describe("images", () => {
    let workspace: Workspace
    let account: TestAccount

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Images")
      account = workspace.sandbox
    })

    const upload = (body: Uint8Array<ArrayBuffer>, query = "", of = account) =>
      call<Image>(target(), "POST", `/manage/v1/accounts/${of.accountId}/images${query}`, {
        token: target().managementToken,
        body,
        headers: { "content-type": "image/svg+xml" }
      })
    /** The path of an image's URL, which is below the base URL. */
    const pathOf = ({ url }: Image) => url.slice(url.indexOf("/i/"))
    const see = (path: string, headers: Record<string, string> = {}) => target().fetch(path, { headers })

    it.each([
      ["image/png", png(601, 20)],
      ["image/jpeg", jpeg(601, 20)],
      ["image/gif", gif(601, 20)],
      ["image/webp", webp("VP8X", 601, 20)]
    ])("of the type %s are served as such, whatever the upload says", async (type, bytes) => {
      const { status, value } = await upload(bytes, "?name=logo.svg")
      expect(status).toBe(201)
      expect(value).toMatchObject({ name: "logo.svg", type, width: 601, height: 20, bytes: bytes.length })
      expect((await account.manage("GET", `/images/${value.id}`)).value).toEqual(value)
      const seen = await see(pathOf(value))
      expect(seen.status).toBe(200)
      expect(new Uint8Array(await seen.arrayBuffer())).toEqual(bytes)
      expect(seen.headers.get("content-type")).toBe(type)
      expect(seen.headers.get("cache-control")).toContain("immutable")
      expect(seen.headers.get("x-content-type-options")).toBe("nosniff")
      const again = await see(pathOf(value), { "if-none-match": seen.headers.get("etag")! })
      expect(again.status).toBe(304)
    })

    it("are refused that are SVG, of another type, empty or too large", async () => {
      const other = new TextEncoder().encode("%PDF-1.7")
      for (const bytes of [svg, other, new Uint8Array()]) {
        const refused = await upload(bytes)
        expect([refused.status, ...refused.codes]).toEqual([400, "images.type_unknown"])
      }
      const large = new Uint8Array(5_000_001)
      large.set(png(1, 1))
      expect((await upload(large)).status).toBe(413)
      const named = await upload(png(1, 1), `?name=${"n".repeat(201)}`)
      expect([named.status, ...named.codes]).toEqual([400, "validation.max_length"])
    })

    it("are refused that fill the memory of what shows them", async () => {
      for (const bytes of [png(10_001, 1), jpeg(1, 10_001), gif(5_001, 5_000), webp("VP8X", 9_000, 9_000)]) {
        const refused = await upload(bytes)
        expect([refused.status, ...refused.codes]).toEqual([400, "images.too_large"])
      }
      for (const bytes of [png(10_000, 2_500), webp("VP8X", 5_000, 5_000)])
        expect((await upload(bytes)).status).toBe(201)
    })

    it("that are a page or a program too are served as images alone, and run nothing", async () => {
      const program = new TextEncoder().encode("/*<html><body><script>alert(1)</script>*/=1;alert(1)")
      for (const image of [png(3, 5), jpeg(3, 5), gif(3, 5), webp("VP8L", 3, 5)]) {
        const bytes = new Uint8Array([...image, ...program])
        const { value } = await upload(bytes, "?name=page.html")
        // Neither the name in the URL nor the browser's preferred type changes how it is served.
        const { headers } = await see(`${pathOf(value)}?x=.html`, { accept: "text/html" })
        expect(headers.get("content-type")).toBe(value.type)
        expect(value.type).toMatch(/^image\/(png|jpeg|gif|webp)$/)
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox")
      }
    })

    it("of equal bytes are one of an account, and another of another", async () => {
      const first = (await upload(png(7, 7))).value
      expect((await upload(png(7, 7), "?name=other.png")).value).toEqual(first)
      const others = (await upload(png(7, 7), "", workspace.live)).value
      expect(others.url).not.toBe(first.url)
      const { items } = (await account.manage<Page<Image>>("GET", "/images?limit=1")).value
      expect(items).toEqual([first])
      for (const method of ["GET", "DELETE"])
        expect((await workspace.live.manage(method, `/images/${first.id}`)).status).toBe(404)
    })

    it("cannot be deleted while a template shows them, and are gone afterwards", async () => {
      const image = (await upload(png(9, 9))).value
      const { value } = await account.manage<{ readonly id: string }>("POST", "/templates", {
        name: "With an image",
        subject: "Hello",
        html: `<p><img src="${image.url}" alt=""></p>`
      })
      const refused = await account.manage("DELETE", `/images/${image.id}`)
      expect([refused.status, ...refused.codes]).toEqual([409, "images.in_use"])
      await account.manage("DELETE", `/templates/${value.id}`)
      expect((await account.manage("DELETE", `/images/${image.id}`)).status).toBe(200)
      expect((await see(pathOf(image))).status).toBe(404)
      const anew = (await upload(png(9, 9))).value
      expect((await see(pathOf(anew))).status).toBe(200)
      expect((await see(pathOf(image))).status).toBe(404)
    })

    it("are not found by anything but their address", async () => {
      for (const key of ["a", "a".repeat(46), "a".repeat(5_000), "%00", account.accountId])
        expect((await see(`/i/${key}`)).status).toBe(404)
    })
  })
