/**
 * Tests of which URLs refer to the machine on which they are opened.
 *
 * @module
 */
import { expect, it } from "vitest"
import { isLoopbackUrl } from "../../../core/shared/Network.ts"

it.each([
  "http://localhost:8080",
  "https://LOCALHOST.",
  "http://svc.localhost/path",
  "http://127.0.0.1:8080",
  "http://127.1.2.3",
  "http://2130706433",
  "http://0x7f.1",
  "http://[::1]:8080",
  "http://[0:0:0:0:0:0:0:1]"
])("takes %s for loopback", (url) => {
  expect(isLoopbackUrl(url)).toBe(true)
})

it.each([
  "https://mail.example",
  "https://localhost.example",
  "https://notlocalhost",
  "https://127.0.0.1.example",
  "https://128.0.0.1",
  "http://0.0.0.0",
  "http://10.0.0.1",
  "http://[::2]",
  "http://[::ffff:10.0.0.1]",
  "",
  "127.0.0.1"
])("does not take %s for loopback", (url) => {
  expect(isLoopbackUrl(url)).toBe(false)
})
