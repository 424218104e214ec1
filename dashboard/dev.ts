/**
 * Starts the service with memory storage and sample data, and a Vite server with hot reload in front of it, in one process (`npm
 * run dev`). Prints a URL that signs the browser in.
 *
 * @module
 */
import { createServer } from "vite"
import { start } from "../runtimes/embedded/index.ts"
import { fillSample, sampleDays } from "../test/support/sample.ts"

const port = Number(process.env["SVC_DEV_PORT"] ?? 5173)
const baseUrl = `http://localhost:${port}`

const service = await start({ port: 0, baseUrl, startAt: Date.now() - sampleDays * 86_400_000 })
const internal = `http://127.0.0.1:${service.port}`

await fillSample(service)
const { cookie } = await service.signIn()

process.env["SVC_DEV_SERVICE"] = internal
const vite = await createServer({
  configFile: new URL("vite.config.ts", import.meta.url).pathname,
  server: { port, strictPort: true, host: "localhost" },
  plugins: [
    {
      name: "sign-in",
      configureServer: ({ middlewares }) => {
        middlewares.use("/dev-sign-in", (_, response) => {
          response.writeHead(302, {
            location: "/app/",
            "set-cookie": `${cookie}; Path=/; HttpOnly; SameSite=Lax`
          })
          response.end()
        })
      }
    }
  ]
})
await vite.listen()
vite.config.logger.info(
  `\n  Signed in:        ${baseUrl}/dev-sign-in\n  Every component:  ${baseUrl}/app/_parts\n`
)

const stop = (): void => {
  void Promise.all([vite.close(), service.close()]).then(() => process.exit(0))
}
process.once("SIGINT", stop).once("SIGTERM", stop)
