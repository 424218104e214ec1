/**
 * Starts the service with memory storage and sample data, and Vite with hot reload before it, in one process: `npm run dev`. It
 * prints an address that signs the browser in.
 *
 * @module
 */
import { createServer } from "vite"
import { start } from "../runtimes/embedded/index.ts"

const port = Number(process.env["SVC_DEV_PORT"] ?? 5173)
const baseUrl = `http://localhost:${port}`

const service = await start({ port: 0, baseUrl })
const internal = `http://127.0.0.1:${service.port}`

const manage = async <Value>(method: string, path: string, body: unknown): Promise<Value> => {
  const response = await fetch(`${internal}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${service.managementToken}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return ((await response.json()) as { readonly value: Value }).value
}

const subjects = [
  "Welcome",
  "Your order is on its way",
  "Reset your password",
  "Your invoice",
  "Before you go"
]

/** Emails and suppressions, so that no screen is empty. */
const fill = async (): Promise<void> => {
  const { accountId, apiKey } = service.sandbox
  const kinds = ["Bounced", "Complained", "Protected"]
  await Promise.all(
    kinds.map((kind, at) =>
      manage("POST", `/accounts/${accountId}/suppressions`, { email: `lost-${at}@example.org`, kind })
    )
  )
  const send = (at: number) =>
    fetch(`${internal}/api/v1/sending/emails`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        to: at % 9 === 0 ? `lost-${at % 3}@example.org` : `person-${at}@example.org`,
        subject: subjects[at % subjects.length],
        html: "<p>It works.</p>"
      })
    })
  await Promise.all(Array.from({ length: 120 }, (_, at) => send(at)))
  await service.settle()
}

await fill()
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
