/**
 * Ready-made templates in the brand of a company, from which people begin their own.
 *
 * @module
 */
import type { Brand } from "../../model/Account.ts"
import type { Block, BlockColors, SocialLink } from "./BlockDocument.ts"
import { defaultColors } from "./BlockDocument.ts"
import { onColor } from "../../images/Contrast.ts"
import type { TemplateWrite } from "./TemplateRules.ts"

/** A ready-made template. */
export interface TemplateStarter extends Required<Omit<TemplateWrite, "html" | "source">> {
  readonly key: string
  readonly description: string
  readonly format: "Blocks" | "Mjml"
  readonly source: string
}

/** The brand in which starters are drawn. */
export interface StarterBrand extends Omit<Brand, "logo"> {
  /** The address of the logo; null for none. */
  readonly logoUrl: string | null
}

/** What a starter says; how it looks follows from the brand. */
interface Draft extends Pick<TemplateStarter, "description" | "key" | "name" | "subject"> {
  readonly preheader: string
  readonly blocks: ReadonlyArray<Block>
  /** Whether it is marketing, which shows how to unsubscribe. */
  readonly isMarketing: boolean
}

const name = "{{ contact.firstName | default: 'there' }}"

const heading = (text: string): Block => ({ kind: "Heading", text, level: 1, align: "Start" })
const text = (content: string): Block => ({ kind: "Text", text: content, align: "Start" })
const button = (href: string, label: string): Block => ({ kind: "Button", label, href, align: "Start" })
const divider: Block = { kind: "Divider" }
const product = (itemId: string): Block => ({ kind: "Product", itemId, label: "View" })
const social = (...links: ReadonlyArray<SocialLink>): Block => ({ kind: "Social", links, align: "Center" })

const profiles = social(
  { name: "Instagram", href: "https://www.instagram.com/" },
  { name: "LinkedIn", href: "https://www.linkedin.com/" }
)

const url = (variable: string): string => `{{ ${variable} | default: 'https://example.com/' }}`

const drafts: ReadonlyArray<Draft> = [
  {
    key: "welcome",
    name: "Welcome",
    description: "Greets people who have just signed up and says what to do first.",
    subject: "Welcome, {{ contact.firstName | default: 'friend' }}",
    preheader: "Your first steps take five minutes.",
    isMarketing: false,
    blocks: [
      heading("Welcome"),
      text(`Hello ${name},\n\nthank you for signing up. The first steps take five minutes.`),
      button(url("startUrl"), "Get started"),
      text(
        "**First**, complete your profile.\n**Then** invite a colleague.\n**Last**, try it with your own data."
      )
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
      text(`Hello ${name},\n\nchoose a new password with this link. It is valid for one hour.`),
      button(url("resetUrl"), "Choose a password"),
      text("If you did not ask for it, ignore this email.")
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
      heading("{{ headline | default: 'What is new' }}"),
      text("{{ story | default: 'Write the story here.' }}"),
      button(url("url"), "Read more"),
      divider,
      {
        kind: "Columns",
        columns: [
          [
            { kind: "Heading", text: "In short", level: 3, align: "Start" },
            { kind: "Text", text: "What else happened this month.", align: "Start" }
          ],
          [
            { kind: "Heading", text: "Coming up", level: 3, align: "Start" },
            { kind: "Text", text: "What to look forward to.", align: "Start" }
          ]
        ]
      },
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
      heading("{{ feature | default: 'Something you asked for' }}"),
      text(
        `Hello ${name},\n\nyou asked for it, and here it is. Say in two sentences what people can do now.`
      ),
      button(url("url"), "Try it")
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
      text(`Hello ${name},\n\nwe would like to see you there.`),
      {
        kind: "Columns",
        columns: [
          [{ kind: "Text", text: "**When**\n{{ eventDay | default: 'Day and time' }}", align: "Start" }],
          [{ kind: "Text", text: "**Where**\n{{ eventPlace | default: 'Place' }}", align: "Start" }]
        ]
      },
      button(url("registerUrl"), "Register")
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
      button(url("event.checkoutUrl"), "Back to the cart"),
      text("Questions? Answer this email.")
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
      text(`Hello ${name},\n\nhave a look at this.`),
      product("your-item"),
      profiles
    ]
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
      text(`Hello ${name},\n\none question: would you recommend us to a friend?`),
      {
        kind: "Columns",
        columns: [
          [{ kind: "Button", label: "Yes", href: url("yesUrl"), align: "Center" }],
          [{ kind: "Button", label: "Not yet", href: url("noUrl"), align: "Center" }]
        ]
      }
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
        `Hello ${name},\n\nwe have not heard from you. If you would like to stay, choose what you want to read about. If not, unsubscribe below.`
      ),
      button("{{ preferencesUrl }}", "Choose")
    ]
  }
]

/** The receipt has a loop over lines, which blocks cannot have. */
const receipt = ({ accent, background, surface, text: ink }: BlockColors, logo: string): TemplateStarter => ({
  key: "receipt",
  name: "Receipt",
  description: "Confirms an order with its lines and its total.",
  subject: "Your order {{ order.number }}",
  preheader: "Thank you. Here is what you ordered.",
  format: "Mjml",
  source: `<mjml>
  <mj-head>
    <mj-attributes>
      <mj-all font-family="Helvetica, Arial, sans-serif" />
      <mj-text font-size="16px" line-height="24px" color="${ink}" />
      <mj-button background-color="${accent}" color="${onColor(accent)}" border-radius="6px" font-size="16px" />
    </mj-attributes>
  </mj-head>
  <mj-body background-color="${background}">
    <mj-section background-color="${surface}" padding="32px 16px">
      <mj-column>${logo}
        <mj-text>Hello ${name}, thank you for your order {{ order.number }}.</mj-text>
        <mj-table color="${ink}">
          {% for line in order.lines %}
          <tr><td>{{ line.quantity }} × {{ line.name }}</td><td align="right">{{ line.total }}</td></tr>
          {% endfor %}
          <tr><td><strong>Total</strong></td><td align="right"><strong>{{ order.total }} {{ order.currency }}</strong></td></tr>
        </mj-table>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`,
  text: `Hello ${name},\n\nthank you for your order {{ order.number }}.\n{% for line in order.lines %}{{ line.quantity }} x {{ line.name }}: {{ line.total }}\n{% endfor %}Total: {{ order.total }} {{ order.currency }}\n`
})

/** What a brand shows of itself at the end of each email. */
const footerOf = (brand: StarterBrand, isMarketing: boolean): Block => ({
  kind: "Footer",
  text: [brand.footer, brand.postalAddress ?? brand.name].filter((part) => part !== null).join("\n\n"),
  unsubscribe: isMarketing ? "Unsubscribe" : null,
  preferences: isMarketing ? "Preferences" : null,
  align: "Start"
})

const logoWidth = 160

/** Every starter in a brand, in the order in which they are shown. */
export const startersOf = (brand: StarterBrand): ReadonlyArray<TemplateStarter> => {
  const { accent, background, text: ink } = brand.colors
  const colors: BlockColors = {
    accent: accent ?? defaultColors.accent,
    background: background ?? defaultColors.background,
    surface: defaultColors.surface,
    text: ink ?? defaultColors.text
  }
  const alt = brand.name ?? ""
  const logo: ReadonlyArray<Block> =
    brand.logoUrl === null
      ? []
      : [{ kind: "Image", url: brand.logoUrl, alt, href: null, width: logoWidth, align: "Start" }]
  const inBlocks = drafts.map(({ blocks, isMarketing, ...draft }): TemplateStarter => {
    const footer = footerOf(brand, isMarketing)
    const isEmpty = footer.kind === "Footer" && footer.text === "" && !isMarketing
    const document = { colors, blocks: [...logo, ...blocks, ...(isEmpty ? [] : [footer])] }
    return { ...draft, format: "Blocks", source: JSON.stringify(document), text: null }
  })
  const escaped = alt.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
  const image =
    brand.logoUrl === null
      ? ""
      : `\n        <mj-image src="${brand.logoUrl}" alt="${escaped}" width="${logoWidth}px" align="left" />`
  return [...inBlocks.slice(0, 2), receipt(colors, image), ...inBlocks.slice(2)]
}
