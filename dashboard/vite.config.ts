/**
 * Builds the dashboard, and serves it with hot reload in development, where calls of the API go to the service at
 * `SVC_DEV_SERVICE`.
 *
 * @module
 */
import react from "@vitejs/plugin-react"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

/** Files below this size are not compressed, in bytes. */
const leastCompressed = 512

/** Writes each file also as gzip and Brotli, which the service sends as they are. */
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

/** Imports an icon, `home.svg?icon`, as a list of its elements: markup could not be inserted as text. */
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

/** Components without dependencies that nearly every screen has: they are loaded together. */
const commonParts =
  /\/src\/parts\/(?:form\/(?:Choices|Field|Tick)|page\/(?:Columns|LinkTabs|Loaded|Page|Tabs)|show\/(?:Badge|Code|CopyButton|Progress|RelativeTime|Table))\./

const service = process.env["SVC_DEV_SERVICE"] ?? "http://localhost:3000"

export default defineConfig({
  root: import.meta.dirname,
  base: "/app/",
  plugins: [icons(), react(), compress()],
  build: {
    // Content in a data URL would count against the first screen.
    assetsInlineLimit: 0,
    // Every browser that runs the rest preloads modules.
    modulePreload: { polyfill: false },
    target: "es2023",
    cssTarget: ["chrome123", "firefox121", "safari17.5"],
    reportCompressedSize: false,
    // The entry names each file that it may load later: fewer files make it smaller.
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
