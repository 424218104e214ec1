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

const service = process.env["SVC_DEV_SERVICE"] ?? "http://localhost:3000"

export default defineConfig({
  root: import.meta.dirname,
  base: "/app/",
  plugins: [react(), compress()],
  build: {
    // Content in a data URL would count against the first screen.
    assetsInlineLimit: 0,
    target: "es2023",
    reportCompressedSize: false
  },
  server: {
    proxy: Object.fromEntries(
      ["/manage", "/api", "/favicon.svg", "/docs"].map((path) => [path, { target: service }])
    )
  }
})
