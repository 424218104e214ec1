/**
 * The flows of the simulated account: every kind of step, and the events that start and stop them.
 *
 * @module
 */
import { emailStep } from "../support/flows.ts"

const marketing = (id: string, more: object = {}) =>
  emailStep(id, {
    purpose: "Marketing",
    subject: `Marketing ${id} {{ contact.firstName }}`,
    html: `<p>Hello {{ contact.firstName }}</p><a href="https://shop.example/${id}">Look</a>`,
    ...more
  })

const wait = (id: string, duration: string) => ({ id, kind: "Wait", duration })

/** The URL of the flows' Webhook steps. */
export const stepUrl = "https://steps.example/hook"

/** The bodies that create the flows. */
export const flowWrites: ReadonlyArray<object> = [
  {
    name: "Welcome",
    trigger: { kind: "Event", name: "user.signed_up" },
    stopEvents: [{ name: "user.left" }],
    steps: [
      marketing("welcome", { topic: "news" }),
      wait("day", "P1D"),
      {
        id: "pro",
        kind: "Branch",
        condition: {
          join: "All",
          rules: [{ fieldKey: "attributes.plan", operator: "Equals", value: "pro" }]
        },
        then: [marketing("perks")],
        else: [
          {
            id: "chance",
            kind: "Split",
            paths: [
              { weight: 50, steps: [emailStep("receipt")] },
              {
                weight: 50,
                steps: [{ id: "tag", kind: "UpdateContact", tags: { add: ["nudged"], remove: [] } }]
              }
            ]
          }
        ]
      },
      {
        id: "active",
        kind: "WaitForEvent",
        name: "user.activated",
        timeout: "P3D",
        then: [marketing("thanks")],
        else: [marketing("miss_you")]
      },
      { id: "notified", kind: "Webhook", url: stepUrl }
    ]
  },
  {
    name: "Morning",
    trigger: { kind: "Event", name: "user.activated" },
    steps: [{ id: "nine", kind: "WaitUntil", time: "09:00", timeZone: "Europe/Berlin" }, marketing("morning")]
  },
  {
    name: "Confirmed",
    trigger: { kind: "Event", name: "contact.subscribed" },
    steps: [wait("hour", "PT1H"), marketing("confirmed", { topic: "news" })]
  },
  {
    name: "Cart",
    trigger: { kind: "Event", name: "cart.abandoned" },
    stopEvents: [{ name: "order.placed" }],
    steps: [wait("while", "PT2H"), marketing("cart")]
  },
  {
    name: "Paid",
    trigger: { kind: "Event", name: "order.paid" },
    steps: [emailStep("paid"), wait("week", "P7D"), marketing("review")]
  },
  {
    name: "Called",
    trigger: { kind: "Api" },
    steps: [wait("minutes", "PT10M"), marketing("called"), { id: "end", kind: "Exit" }]
  }
]
