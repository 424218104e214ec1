/**
 * The predefined flows. Each is installed as a draft, to be reviewed, changed and published.
 *
 * @module
 */
import type { EventMatch, FlowDefinition, SendEmailStep, Step } from "../../model/FlowDefinition.ts"

/** A predefined flow. */
export interface Blueprint {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly definition: FlowDefinition
}

const on = (name: string): EventMatch => ({ name, filter: null })

/**
 * Matches consent given with a new account in a store (`Equals`), or any other (docs/contributing/public-api.md "Timeline
 * events").
 */
const subscribed = (operator: "Equals" | "NotEquals"): EventMatch => ({
  name: "contact.subscribed",
  filter: { join: "All", rules: [{ fieldKey: "event.occasion", operator, value: "Customer" }] }
})

const frame = (paragraphs: ReadonlyArray<string>): string =>
  `<!doctype html><html><body style="margin:0;padding:24px;background:#f5f5f5">` +
  `<div style="max-width:560px;margin:0 auto;padding:32px;background:#ffffff;` +
  `font-family:Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;color:#222222">` +
  paragraphs.map((text) => `<p style="margin:0 0 16px">${text}</p>`).join("") +
  `</div></body></html>`

const plain = (paragraphs: ReadonlyArray<string>): string =>
  paragraphs
    .map((text) =>
      text.replaceAll(/<a href="([^"<]*)"[^<>]*>([^<]*)<\/a>/g, "$2: $1").replaceAll(/<[^<>]+>/g, "")
    )
    .join("\n\n")

const hello = `Hello{% if contact.firstName %} {{ contact.firstName }}{% endif %},`

const email = (
  id: string,
  purpose: SendEmailStep["purpose"],
  subject: string,
  paragraphs: ReadonlyArray<string>
): SendEmailStep => ({
  id,
  kind: "SendEmail",
  purpose,
  templateId: null,
  subject,
  html: frame([hello, ...paragraphs]),
  text: plain([hello, ...paragraphs]),
  topic: null
})

const wait = (id: string, duration: string): Step => ({ id, kind: "Wait", duration })

const waitFor = (
  id: string,
  name: string,
  timeout: string,
  then: ReadonlyArray<Step>,
  otherwise: ReadonlyArray<Step>
): Step => ({ id, kind: "WaitForEvent", name, filter: null, timeout, then, else: otherwise })

const exit = (id: string): Step => ({ id, kind: "Exit" })

const morning = (id: string): Step => ({
  id,
  kind: "WaitUntil",
  at: null,
  time: "09:00",
  timeZone: "UTC",
  timeZoneAttribute: null
})

/** All blueprints. */
export const blueprints: ReadonlyArray<Blueprint> = [
  {
    key: "user_signed_up",
    name: "Onboarding after sign-up",
    description: "Says what to do first, and helps once when it was not done within two days.",
    definition: {
      trigger: { kind: "Event", ...on("user.signed_up") },
      stopEvents: [],
      steps: [
        email("first_steps", "Transactional", "Your account is ready", [
          "thank you for signing up. Your account is ready, and you can begin right away.",
          "The quickest way to see what it does for you is to set up one thing that you need today. It takes a few minutes.",
          "If something is unclear, just reply to this email. A person reads it."
        ]),
        waitFor(
          "activated",
          "user.activated",
          "P2D",
          [exit("done")],
          [
            email("help", "Marketing", "Can we help you get started?", [
              "you signed up two days ago, and it looks as if something kept you from getting started.",
              "Tell us what you would like to achieve, and we will tell you the shortest way there. A reply of one line is enough."
            ])
          ]
        )
      ]
    }
  },
  {
    key: "user_activated",
    name: "After activation",
    description: "Congratulates the next morning and shows what comes next.",
    definition: {
      trigger: { kind: "Event", ...on("user.activated") },
      stopEvents: [],
      steps: [
        morning("next_morning"),
        email("what_next", "Marketing", "Well done. Here is what comes next", [
          "you are up and running. Most people do three things next: they invite a colleague, connect the tools they already use, and set up their first report.",
          "Each takes less than five minutes, and each makes the others more useful."
        ])
      ]
    }
  },
  {
    key: "trial_ending",
    name: "Trial ending",
    description: "Reminds of the end of a trial, and asks again after a day, until a subscription starts.",
    definition: {
      trigger: { kind: "Event", ...on("trial.ending") },
      stopEvents: [on("subscription.started")],
      steps: [
        email("ending", "Transactional", "Your trial is about to end", [
          "your trial ends{% if event.endsOn %} on {{ event.endsOn }}{% else %} soon{% endif %}. To keep everything as it is, choose a plan before then.",
          "If you do nothing, nothing is charged, and your data is kept for a while in case you come back."
        ]),
        wait("a_day", "P1D"),
        email("last_call", "Marketing", "Anything we can answer before your trial ends?", [
          "choosing a plan is easier when all questions are answered. If one is left, reply to this email.",
          "And if it was not the right thing for you, we would be glad to hear why."
        ])
      ]
    }
  },
  {
    key: "subscription_started",
    name: "Thanks for subscribing",
    description: "Thanks at once, and asks after a week how it goes.",
    definition: {
      trigger: { kind: "Event", ...on("subscription.started") },
      stopEvents: [on("subscription.cancelled")],
      steps: [
        email("thanks", "Transactional", "Thank you for your subscription", [
          "thank you for your trust. Your subscription{% if event.plan %} to {{ event.plan }}{% endif %} is active from now on.",
          "You find invoices and settings in your account at any time."
        ]),
        wait("a_week", "P7D"),
        email("how_is_it", "Marketing", "How is your first week going?", [
          "a week has passed since you subscribed. How is it going?",
          "What works well, and what would you change? Your answer goes straight to the people who build it."
        ])
      ]
    }
  },
  {
    key: "abandoned_cart",
    name: "Abandoned cart",
    description: "Reminds of a cart left behind, and again the next day, until something is ordered.",
    definition: {
      trigger: { kind: "Event", ...on("cart.abandoned") },
      stopEvents: [on("order.placed"), on("order.paid")],
      steps: [
        email("reminder", "Marketing", "You left something in your cart", [
          "your cart is still here, just as you left it.",
          `{% if event.url %}<a href="{{ event.url }}">Go on to checkout</a>{% else %}Come back whenever it suits you.{% endif %}`
        ]),
        wait("a_day", "P1D"),
        email("second_reminder", "Marketing", "Shall we keep your cart?", [
          "we have kept your cart for another day. Afterwards we cannot promise that everything is still available.",
          "If something kept you from ordering, reply to this email and we will see to it."
        ])
      ]
    }
  },
  {
    key: "welcome",
    name: "Welcome",
    description: "Welcomes new subscribers, and tells more about you some days later.",
    definition: {
      trigger: { kind: "Event", ...subscribed("NotEquals") },
      stopEvents: [],
      steps: [
        email("welcome", "Marketing", "Welcome, and thank you for subscribing", [
          "good to have you with us. From now on you are among the first to hear what is new.",
          "You will get an email when there is something worth your time, and not more often."
        ]),
        wait("some_days", "P3D"),
        email("about_us", "Marketing", "What we do, and why", [
          "some days ago you subscribed to our news. Here is a little about who writes to you: what we make, and what we care about.",
          "If you would like to read more about something in particular, tell us. We take requests."
        ])
      ]
    }
  },
  {
    key: "new_customer",
    name: "New customer",
    description:
      "Welcomes who made an account in a store and wants to hear of it, and asks after two weeks how it goes.",
    definition: {
      trigger: { kind: "Event", ...subscribed("Equals") },
      stopEvents: [],
      steps: [
        email("thanks", "Marketing", "Thank you for making an account with us", [
          "your account is ready: your orders and addresses are in one place from now on.",
          "You also asked to hear from us. We write when there is something worth your time, and not more often."
        ]),
        wait("two_weeks", "P14D"),
        email("all_well", "Marketing", "Is everything as you hoped?", [
          "you made an account with us two weeks ago. Did you find what you were looking for?",
          "If so, we would be glad to see you again. If not, tell us, and we will put it right."
        ])
      ]
    }
  }
]
