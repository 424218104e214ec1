/**
 * Fills the sandbox of an embedded service with two weeks of a small shop's activity, so that no screen is empty. The service's
 * clock must start {@link sampleDays} ago; filling it advances the clock to the present.
 *
 * @module
 */
import type { Embedded } from "../../runtimes/embedded/index.ts"

/** How many days the sample covers. */
export const sampleDays = 14

const firstNames = [
  "Ada",
  "Grace",
  "Alan",
  "Katherine",
  "Edsger",
  "Barbara",
  "Donald",
  "Radia",
  "Tim",
  "Mary"
]
const lastNames = [
  "Lovelace",
  "Hopper",
  "Turing",
  "Johnson",
  "Dijkstra",
  "Liskov",
  "Knuth",
  "Perlman",
  "Berners-Lee"
]
const cities = ["Vienna", "Turin", "Lisbon", "Ghent", "Aarhus"]
const items = [
  { id: "tea-1", name: "Green tea", description: "From the hills.", price: 19.9, categories: ["tea"] },
  { id: "tea-2", name: "Darjeeling, first flush", price: 24.5, comparePrice: 29, categories: ["tea"] },
  { id: "pot-1", name: "Cast iron pot", price: 64, categories: ["ware"], stockQuantity: 3 },
  { id: "cup-1", name: "Cup of stoneware", price: 12, categories: ["ware"], inStock: false }
]

const html = (title: string, text: string) =>
  `<h1>${title}</h1>\n<p>Hello {{ contact.firstName | default: "there" }},</p>\n<p>${text}</p>\n` +
  `<p><a href="https://shop.example/tea">To the shop</a></p>`

interface Made {
  readonly id: string
}

/** Fills the sandbox. */
export const fillSample = async (service: Embedded): Promise<void> => {
  const { accountId, apiKey } = service.sandbox
  const call = async <Value>(method: string, path: string, token: string, body?: unknown): Promise<Value> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await service.fetch(new Request(service.baseUrl + path, { method, headers, ...sent }))
    const { errors, value } = (await response.json()) as { readonly value: Value; readonly errors: unknown }
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(errors)}`)
    return value
  }
  const account = `/manage/v1/accounts/${accountId}`
  const manage = <Value = Made>(method: string, path: string, body?: unknown) =>
    call<Value>(method, account + path, service.managementToken, body)
  const api = <Value = Made>(path: string, body: unknown) =>
    call<Value>("POST", `/api/v1${path}`, apiKey, body)

  await manage("POST", "/topics", {
    key: "news",
    name: "Newsletter",
    description: "What is new, once a week."
  })
  await manage("POST", "/topics", { key: "offers", name: "Offers" })
  await manage("POST", "/contact-attributes", { key: "favourite", label: "Favourite tea", type: "Text" })
  await manage("POST", "/contact-attributes", { key: "points", label: "Points", type: "Number" })
  await manage("POST", "/domains", { domain: "news.shop.example" })
  await manage("PATCH", "/settings", {
    tracking: { opens: true, clicks: true },
    flowTracking: { opens: true, clicks: true }
  })
  const welcome = await manage("POST", "/templates", {
    name: "Welcome",
    subject: "Welcome, {{ contact.firstName }}",
    html: html("Welcome", "Good to have you here.")
  })
  await manage("POST", "/templates", {
    name: "Order confirmation",
    subject: "Your order is confirmed",
    html: html("Thank you", "We pack your order today.")
  })
  await api("/items/batch", { items: items.map((item) => ({ currency: "EUR", stockQuantity: 40, ...item })) })
  const store = await manage<Made & { readonly token: string }>("POST", "/stores", {
    platform: "Custom",
    name: "Tea shop",
    domain: "shop.example",
    consentMode: "Explicit"
  })
  const viennese = await manage("POST", "/segments", {
    name: "People of Vienna",
    definition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: "Vienna" }] }
  })
  const everyone = await manage("POST", "/segments", {
    name: "All subscribers",
    definition: { join: "All", rules: [] }
  })
  const flow = await manage("POST", "/flows", {
    name: "Welcome series",
    trigger: { kind: "Event", name: "user.signed_up" },
    steps: [
      { id: "hello", kind: "SendEmail", templateId: welcome.id, purpose: "Marketing" },
      { id: "wait", kind: "Wait", duration: "P3D" },
      { id: "again", kind: "SendEmail", templateId: welcome.id, purpose: "Marketing" }
    ]
  })
  await manage("POST", `/flows/${flow.id}/publish`)
  await manage("POST", "/flow-blueprints/welcome/install")
  const hook = await manage("POST", "/webhooks", {
    url: "https://hooks.shop.example/svc",
    events: ["email.complained"],
    description: "Order system"
  })
  await manage("POST", `/webhooks/${hook.id}/test`)
  await manage("POST", "/api-keys", {
    name: "Shop",
    permissions: ["emails:send", "events:write"],
    expiresInDays: 90
  })

  const people = Array.from({ length: 120 }, (_, at) => {
    const firstName = firstNames[at % firstNames.length]!
    const lastName = lastNames[at % lastNames.length]!
    const name = `${firstName}.${lastName}`.toLowerCase()
    return {
      email: at < 90 ? `${name}@people.example` : `${name}.${at}@people.example`,
      externalId: `customer-${at + 1}`,
      firstName,
      lastName,
      city: cities[at % cities.length]!,
      attributes: { favourite: items[at % 2]!.name, points: at * 10 },
      ...(at % 6 === 5
        ? {}
        : {
            consent: {
              basis: "Subscribed",
              proof: { text: "Yes, send me news.", textVersion: "3", locale: "en", ipAddress: "192.0.2.7" }
            }
          })
    }
  })
  const perDay = Math.ceil(people.length / sampleDays)
  const orderStatuses = ["Paid", "Pending", "Paid", "Refunded", "Paid"]
  const simulations = ["Open", "Open", "Click", "Open", "Bounce", "Open", "Complaint", "Unsubscribe"]
  let simulated = 0
  const end = service.now() + sampleDays * 86_400_000
  for (let day = 0; day < sampleDays; day += 1) {
    const added = people.slice(day * perDay, (day + 1) * perDay)
    await api("/contacts/batch", { contacts: added })
    await api("/events", {
      events: added.map(({ email }, at) => ({
        id: `visit-${day}-${at}`,
        name: at % 3 === 2 ? "shop.visited" : "user.signed_up",
        contact: { email },
        properties: { plan: at % 2 === 0 ? "free" : "pro" }
      }))
    })
    const buyers = people.slice(0, (day + 1) * perDay).filter((_, at) => (at + day) % 7 === 0)
    await call("POST", `/ingest/v1/stores/${store.id}/events`, store.token, {
      events: buyers.map(({ email, firstName, lastName }, at) => {
        const { name, price, id } = items[(at + day) % items.length]!
        const number = `${1000 + day * 40 + at}`
        const quantity = 1 + (at % 3)
        return {
          id: `order-${number}`,
          name: "order.placed",
          data: {
            id: number,
            number: `#${number}`,
            status: orderStatuses[(at + day) % orderStatuses.length],
            currency: "EUR",
            total: (price * quantity).toFixed(2),
            customer: { email, firstName, lastName },
            lines: [{ productId: id, name, quantity, price }]
          }
        }
      })
    })
    await Promise.all(
      buyers.map(({ email, firstName }, at) =>
        api("/sending/emails", {
          to: email,
          subject: at % 2 === 0 ? "Your order is on its way" : `${firstName}, your invoice`,
          html: '<h1>Thank you</h1><p>It is on its way.</p><p><a href="https://shop.example/track">Track it</a></p>',
          tags: { kind: at % 2 === 0 ? "shipping" : "invoice" }
        })
      )
    )
    await service.settle()
    if (day === sampleDays - 4) {
      const campaign = await manage("POST", "/campaigns", {
        name: "First flush is here",
        content: { subject: "First flush is here", html: html("First flush", "Fresh from Darjeeling.") },
        audience: { segments: [everyone.id] },
        topic: "news"
      })
      await manage("POST", `/campaigns/${campaign.id}/launch`)
      await service.settle()
    }
    const messages = await service.inbox()
    for (const { id } of messages.slice(0, 9)) {
      await manage("POST", `/inbox/${id}/simulate`, { kind: simulations[simulated % simulations.length] })
      simulated += 1
    }
    await service.settle()
    await service.advance(Math.max(0, Math.min(86_400_000, end - service.now())))
  }
  await manage("POST", "/campaigns", {
    name: "Winter teas",
    content: { subject: "Winter teas", html: html("Winter", "Something warm.") },
    audience: { segments: [viennese.id] }
  })
  await Promise.all(
    ["Bounced", "Complained", "Protected"].map((kind) =>
      manage("POST", "/suppressions", { email: `${kind.toLowerCase()}@example.org`, kind })
    )
  )
  await manage("POST", "/contacts/bulk", { filter: {}, action: { kind: "AddTag", tag: "customer" } })
  await api("/sending/emails", {
    to: "bounced@example.org",
    subject: "Your order is on its way",
    html: "<p>It is on its way.</p>"
  })
  await service.settle()
}
