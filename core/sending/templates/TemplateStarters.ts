/**
 * Ready-made templates in the brand of a company, as a starting point for people's own templates.
 *
 * @module
 */
import type { Brand } from "../../model/Account.ts"
import type { TemplateValues } from "../../ports/TemplateEngine.ts"
import type { Block, BlockColors, SimpleBlock, SocialLink } from "./BlockDocument.ts"
import { defaultColors } from "./BlockDocument.ts"
import { bodyMjml, columnMjml, headMjml } from "./BlockMjml.ts"
import type { TemplateWrite } from "./TemplateRules.ts"

/** A ready-made template. */
export interface TemplateStarter extends Required<Omit<TemplateWrite, "html" | "source">> {
  readonly key: string
  readonly description: string
  readonly format: "Blocks" | "Mjml"
  readonly source: string
  /** Values that show the purpose of the template, if it shows nothing without them. */
  readonly sample: TemplateValues
}

/** The brand in which starters are drawn. */
export interface StarterBrand extends Omit<Brand, "logo"> {
  /** The URL of the logo; null if there is none. */
  readonly logoUrl: string | null
}

/** The content of a starter. Its design follows from the brand. */
interface Draft extends Pick<TemplateStarter, "description" | "key" | "name" | "subject"> {
  readonly preheader: string
  readonly blocks: ReadonlyArray<Block>
  /** Whether it is marketing, which shows a link to unsubscribe. */
  readonly isMarketing: boolean
  readonly sample?: TemplateValues
}

const name = "{{ contact.firstName | default: 'there' }}"

const heading = (text: string): SimpleBlock => ({ kind: "Heading", text, level: 1, align: "Start" })
const minor = (text: string) => ({ kind: "Heading", text, level: 3, align: "Start" }) as const
const text = (content: string) => ({ kind: "Text", text: content, align: "Start" }) as const
const button = (href: string, label: string): Block => ({ kind: "Button", label, href, align: "Start" })
const divider: Block = { kind: "Divider" }
const product = (itemId: string): Block => ({ kind: "Product", itemId, label: "See it" })
const social = (...links: ReadonlyArray<SocialLink>): Block => ({ kind: "Social", links, align: "Start" })

const profiles = social(
  { name: "Instagram", href: "https://www.instagram.com/" },
  { name: "LinkedIn", href: "https://www.linkedin.com/" }
)

const url = (variable: string): string => `{{ ${variable} | default: 'https://example.com/' }}`

/** A grey picture in place of that of an item. */
const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAEElEQVR42mO4eushHDEgcwAKSRSBg3BtKQAAAABJRU5ErkJggg=="

const drafts: ReadonlyArray<Draft> = [
  {
    key: "welcome",
    name: "Welcome",
    description: "Greets people who have just signed up and says what to do first.",
    subject: "Welcome, {{ contact.firstName | default: 'friend' }}",
    preheader: "Your first steps take five minutes.",
    isMarketing: false,
    blocks: [
      heading("Good to have you here"),
      text(`Hello ${name},\n\nthank you for signing up. You are ready in five minutes.`),
      button(url("startUrl"), "Get started"),
      divider,
      text("**1. Complete your profile**\nSo that colleagues find you."),
      text("**2. Invite a colleague**\nIt is more useful together."),
      text("**3. Try it with your own data**\nYou can remove it at any time.")
    ]
  },
  {
    key: "password_reset",
    name: "Password reset",
    description: "Sends the link to choose a new password.",
    subject: "Choose a new password",
    preheader: "The link is valid for one hour.",
    isMarketing: false,
    blocks: [
      heading("Choose a new password"),
      text(`Hello ${name},\n\nsomebody, hopefully you, asked for a new password for this account.`),
      button(url("resetUrl"), "Choose a password"),
      text("The link is valid for one hour and works once."),
      divider,
      text("If you did not ask for it, ignore this email: your password stays as it is.")
    ]
  },
  {
    key: "newsletter",
    name: "Newsletter",
    description: "News with a story, two smaller ones and links, for people who subscribed.",
    subject: "News: {{ headline | default: 'what is new' }}",
    preheader: "{{ summary | default: 'The latest in two minutes.' }}",
    isMarketing: true,
    blocks: [
      heading("{{ headline | default: 'What is new this month' }}"),
      text(
        "{{ story | default: 'Begin with what matters most to your readers, in two or three sentences. Say what is new, whom it helps, and how they can try it.' }}"
      ),
      button(url("url"), "Read the story"),
      divider,
      {
        kind: "Columns",
        columns: [
          [minor("In short"), text("What else happened, in a sentence or two.")],
          [minor("Coming up"), text("What to look forward to, and when.")]
        ]
      },
      divider,
      profiles
    ]
  },
  {
    key: "announcement",
    name: "Announcement",
    description: "One piece of news, such as a feature or a product, with one link.",
    subject: "New: {{ feature | default: 'something you asked for' }}",
    preheader: "See what you can do now.",
    isMarketing: true,
    blocks: [
      { kind: "Text", text: "**New**", align: "Start" },
      heading("{{ feature | default: 'Something you asked for' }}"),
      text(
        `Hello ${name},\n\nyou asked for it, and here it is. Say in two sentences what people can do now.`
      ),
      button(url("url"), "Try it"),
      text("It is part of your plan. There is nothing to install.")
    ]
  },
  {
    key: "invitation",
    name: "Invitation",
    description: "Invites to an event, with day, place and a link to register.",
    subject: "You are invited: {{ eventName | default: 'our open day' }}",
    preheader: "{{ eventDay | default: 'Save the day.' }}",
    isMarketing: true,
    blocks: [
      heading("{{ eventName | default: 'Our open day' }}"),
      text(`Hello ${name},\n\nwe would like to see you there. Meet the people behind what you use.`),
      divider,
      {
        kind: "Columns",
        columns: [
          [text("**When**\n{{ eventDay | default: 'Friday, 5 June, at 10:00' }}")],
          [text("**Where**\n{{ eventPlace | default: '1 Main Street' }}")]
        ]
      },
      divider,
      button(url("registerUrl"), "Register"),
      text("It costs nothing. Bring a friend.")
    ]
  },
  {
    key: "abandoned_cart",
    name: "Abandoned cart",
    description: "Reminds people of what they left in their cart.",
    subject: "You left something in your cart",
    preheader: "It is still there.",
    isMarketing: true,
    blocks: [
      heading("Still thinking about it?"),
      text(`Hello ${name},\n\nyour cart is as you left it. You can go on where you stopped.`),
      button(url("event.url"), "Back to the cart"),
      divider,
      text("**Questions?**\nAnswer this email, and a person reads it.")
    ]
  },
  {
    key: "product",
    name: "Product",
    description: "Shows one item of the catalogue with picture and price.",
    subject: "For you",
    preheader: "We thought you might like this.",
    isMarketing: true,
    blocks: [
      heading("We thought of you"),
      text(`Hello ${name},\n\nthis goes with what you looked at last.`),
      product("your-item"),
      divider,
      profiles
    ],
    sample: {
      item: {
        "your-item": {
          name: "The name of your item",
          price: "29.00",
          currency: "EUR",
          url: "https://example.com/",
          imageUrl: picture
        }
      }
    }
  },
  {
    key: "feedback",
    name: "Feedback",
    description: "Asks how it went, in one question.",
    subject: "How was it, {{ contact.firstName | default: 'friend' }}?",
    preheader: "One question, ten seconds.",
    isMarketing: true,
    blocks: [
      heading("How was it?"),
      text(`Hello ${name},\n\none question, ten seconds: would you recommend us to a friend?`),
      {
        kind: "Columns",
        columns: [
          [{ kind: "Button", label: "Yes, I would", href: url("yesUrl"), align: "Center" }],
          [{ kind: "Button", label: "Not yet", href: url("noUrl"), align: "Center" }]
        ]
      },
      text("Whatever you choose, we read what you write to us next.")
    ]
  },
  {
    key: "win_back",
    name: "We miss you",
    description: "Asks people who have been quiet whether they want to stay.",
    subject: "Shall we stay in touch?",
    preheader: "You decide.",
    isMarketing: true,
    blocks: [
      heading("It has been a while"),
      text(
        `Hello ${name},\n\nwe have not heard from you. If you would like to stay, choose what you want to read about, and how often.`
      ),
      button("{{ preferencesUrl }}", "Choose what you get"),
      text("If not, unsubscribe below. We will not write again.")
    ]
  }
]

/** The rows of an order. They need a loop, which blocks cannot have. */
const receiptRows = `<mj-table>
{% for line in order.lines %}
<tr><td style="padding:8px 0">{{ line.quantity }} × {{ line.name }}</td><td style="padding:8px 0" align="right">{{ line.total }}</td></tr>
{% endfor %}
<tr><td style="padding:12px 0;border-top:1px solid #d5dae1"><strong>Total</strong></td><td style="padding:12px 0;border-top:1px solid #d5dae1" align="right"><strong>{{ order.total }} {{ order.currency }}</strong></td></tr>
</mj-table>`

const receiptText = `Hello ${name},

thank you for your order {{ order.number }}.
{% for line in order.lines %}{{ line.quantity }} x {{ line.name }}: {{ line.total }}
{% endfor %}Total: {{ order.total }} {{ order.currency }}
`

const receipt = (
  colors: BlockColors,
  header: ReadonlyArray<SimpleBlock>,
  footer: SimpleBlock | null
): TemplateStarter => {
  const said = [
    heading("Thank you for your order"),
    text(`Hello ${name},\n\nwe have received your order **{{ order.number }}**. Here is what you ordered.`)
  ]
  const parts = [
    { isCard: true, content: columnMjml([...header, ...said], colors, receiptRows) },
    ...(footer === null ? [] : [{ isCard: false, content: columnMjml([footer], colors) }])
  ]
  return {
    key: "receipt",
    name: "Receipt",
    description: "Confirms an order with its lines and its total.",
    subject: "Your order {{ order.number }}",
    preheader: "Thank you. Here is what you ordered.",
    format: "Mjml",
    source: `<mjml>\n${headMjml(colors)}\n${bodyMjml(parts, colors)}\n</mjml>\n`,
    text: receiptText,
    sample: {
      order: {
        number: "A-1042",
        lines: [
          { quantity: 1, name: "Notebook", total: "12.00" },
          { quantity: 2, name: "Pencil", total: "3.00" }
        ],
        total: "15.00",
        currency: "EUR"
      }
    }
  }
}

/** Escapes text of people, so that none of it is Liquid. */
const literal = (words: string): string => words.replaceAll(/\{(?=[{%])/g, "{ ")

/** The part that a brand shows at the end of each email; null if there is none. */
const footerOf = (
  { footer, name: company, postalAddress }: StarterBrand,
  isMarketing: boolean
): SimpleBlock | null => {
  const lines = [footer, postalAddress ?? company].filter((part) => part !== null)
  if (lines.length === 0 && !isMarketing) return null
  return {
    kind: "Footer",
    text: literal(lines.join("\n\n")),
    unsubscribe: isMarketing ? "Unsubscribe" : null,
    preferences: isMarketing ? "Preferences" : null,
    align: "Start"
  }
}

const logoWidth = 140

/** The part that a brand shows at the beginning: its logo or, without one, its name. */
const headerOf = ({ logoUrl, name: company }: StarterBrand): ReadonlyArray<SimpleBlock> =>
  logoUrl !== null
    ? [
        {
          kind: "Image",
          url: logoUrl,
          alt: literal(company ?? ""),
          href: null,
          width: logoWidth,
          align: "Start"
        }
      ]
    : company !== null
      ? [minor(literal(company))]
      : []

/** Every starter in a brand, in the order in which they are shown. */
export const startersOf = (brand: StarterBrand): ReadonlyArray<TemplateStarter> => {
  const { accent, background, text: ink } = brand.colors
  const colors: BlockColors = {
    accent: accent ?? defaultColors.accent,
    background: background ?? defaultColors.background,
    surface: defaultColors.surface,
    text: ink ?? defaultColors.text
  }
  const header = headerOf(brand)
  const inBlocks = drafts.map(({ blocks, isMarketing, sample = {}, ...draft }): TemplateStarter => {
    const footer = footerOf(brand, isMarketing)
    const document = { colors, blocks: [...header, ...blocks, ...(footer === null ? [] : [footer])] }
    return { ...draft, format: "Blocks", source: JSON.stringify(document), text: null, sample }
  })
  return [...inBlocks.slice(0, 2), receipt(colors, header, footerOf(brand, false)), ...inBlocks.slice(2)]
}
