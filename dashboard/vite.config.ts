/**
 * Builds the dashboard. In development, serves it with hot reload and forwards API calls to the service at `SVC_DEV_SERVICE`.
 *
 * @module
 */
import react from "@vitejs/plugin-react"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

/** Smaller files are not compressed, in bytes. */
const leastCompressed = 512

/** Also writes each file as gzip and as Brotli, which the service sends without compressing them itself. */
const compress = (): Plugin => ({
  name: "compress",
  apply: "build",
  writeBundle: ({ dir = "" }, bundle) => {
    for (const name of Object.keys(bundle)) {
      const path = join(dir, name)
      const content = readFileSync(path)
      if (content.length < leastCompressed) continue
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
      writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
    }
  }
})

/** An element of an icon, and its attributes. */
const element = /<(path|circle|rect) ([^>]*?)\/>/g
const attribute = /([\w-]+)="([^"]*)"/g

/** Imports an icon, `home.svg?icon`, as a list of its elements, because React does not insert markup from strings. */
const icons = (): Plugin => ({
  name: "icons",
  enforce: "pre",
  load: (id) => {
    if (!id.endsWith(".svg?icon")) return null
    const source = readFileSync(id.slice(0, -"?icon".length), "utf8")
    const shapes = Array.from(source.matchAll(element), ([, tag, attributes = ""]) => [
      tag,
      Object.fromEntries(
        Array.from(attributes.matchAll(attribute), ([, name = "", value]) => [
          name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
          value
        ])
      )
    ])
    return `export default ${JSON.stringify(shapes)}`
  }
})

/** Components without dependencies that nearly every screen uses. They are put into one chunk. */
const commonParts =
  /\/src\/parts\/(?:form\/(?:Choices|Field|Tick)|page\/(?:Columns|LinkTabs|Loaded|Page|Tabs)|show\/(?:Badge|Code|CopyButton|Progress|RelativeTime|Table))\./

const service = process.env["SVC_DEV_SERVICE"] ?? "http://localhost:3000"

export default defineConfig({
  root: import.meta.dirname,
  base: "/app/",
  plugins: [icons(), react(), compress()],
  build: {
    // Content inlined as data URLs would count towards the first screen's size.
    assetsInlineLimit: 0,
    // Every browser that supports the rest of the code also supports module preloading.
    modulePreload: { polyfill: false },
    target: "es2023",
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    reportCompressedSize: false,
    // The entry file names each chunk that it may load later, so fewer chunks make it smaller.
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: "parts", test: commonParts }]
        }
      }
    }
  },
  server: {
    proxy: Object.fromEntries(
      ["/manage", "/api", "/favicon.svg", "/docs"].map((path) => [path, { target: service }])
    )
  }
})
