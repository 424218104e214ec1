/**
 * Ready-made templates, from which people begin their own.
 *
 * @module
 */
import type { TemplateWrite } from "./TemplateRules.ts"

/** A ready-made template. */
export interface TemplateStarter extends Required<Omit<TemplateWrite, "html" | "source">> {
  readonly key: string
  readonly description: string
  readonly format: "Mjml"
  readonly source: string
}

const mjml = (title: string, body: string): string =>
  `<mjml>
  <mj-head>
    <mj-title>${title}</mj-title>
    <mj-attributes>
      <mj-all font-family="Helvetica, Arial, sans-serif" />
      <mj-text font-size="16px" line-height="24px" color="#1f2933" />
      <mj-button background-color="#1f4fd8" border-radius="6px" font-size="16px" />
    </mj-attributes>
  </mj-head>
  <mj-body background-color="#f4f5f7">
    <mj-section background-color="#ffffff" padding="32px 16px">
      <mj-column>
${body}
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`

const text = (content: string): string => `        <mj-text>${content}</mj-text>`
const button = (href: string, label: string): string =>
  `        <mj-button href="${href}">${label}</mj-button>`

const name = "{{ contact.firstName | default: 'there' }}"

/** Every starter, in the order in which they are shown. */
export const templateStarters: ReadonlyArray<TemplateStarter> = [
  {
    key: "welcome",
    name: "Welcome",
    description: "Greets people who have just signed up and says what to do first.",
    subject: "Welcome, {{ contact.firstName | default: 'friend' }}",
    preheader: "Your first steps take five minutes.",
    format: "Mjml",
    source: mjml(
      "Welcome",
      [
        text(`Hello ${name},`),
        text("thank you for signing up. The first steps take five minutes."),
        button("{{ startUrl | default: 'https://example.com/start' }}", "Get started")
      ].join("\n")
    ),
    text: `Hello ${name},\n\nthank you for signing up. Get started: {{ startUrl | default: 'https://example.com/start' }}\n`
  },
  {
    key: "password_reset",
    name: "Password reset",
    description: "Sends the link to choose a new password.",
    subject: "Choose a new password",
    preheader: "The link is valid for one hour.",
    format: "Mjml",
    source: mjml(
      "Choose a new password",
      [
        text(`Hello ${name},`),
        text("choose a new password with this link. It is valid for one hour."),
        button("{{ resetUrl | default: 'https://example.com/reset' }}", "Choose a password"),
        text("If you did not ask for it, ignore this email.")
      ].join("\n")
    ),
    text: `Hello ${name},\n\nchoose a new password: {{ resetUrl | default: 'https://example.com/reset' }}\n\nIf you did not ask for it, ignore this email.\n`
  },
  {
    key: "receipt",
    name: "Receipt",
    description: "Confirms an order with its lines and its total.",
    subject: "Your order {{ order.number }}",
    preheader: "Thank you. Here is what you ordered.",
    format: "Mjml",
    source: mjml(
      "Receipt",
      [
        text(`Hello ${name}, thank you for your order {{ order.number }}.`),
        `        <mj-table>
          {% for line in order.lines %}
          <tr><td>{{ line.quantity }} × {{ line.name }}</td><td align="right">{{ line.total }}</td></tr>
          {% endfor %}
          <tr><td><strong>Total</strong></td><td align="right"><strong>{{ order.total }} {{ order.currency }}</strong></td></tr>
        </mj-table>`
      ].join("\n")
    ),
    text: `Hello ${name},\n\nthank you for your order {{ order.number }}.\n{% for line in order.lines %}{{ line.quantity }} x {{ line.name }}: {{ line.total }}\n{% endfor %}Total: {{ order.total }} {{ order.currency }}\n`
  },
  {
    key: "newsletter",
    name: "Newsletter",
    description: "News with a picture, a story and a link, for people who subscribed.",
    subject: "News: {{ headline | default: 'what is new' }}",
    preheader: "{{ summary | default: 'The latest in two minutes.' }}",
    format: "Mjml",
    source: mjml(
      "News",
      [
        '        <mj-image src="{{ imageUrl | default: \'https://example.com/news.png\' }}" alt="{{ headline }}" />',
        text("<h1>{{ headline | default: 'What is new' }}</h1>"),
        text("{{ story | default: 'Write the story here.' }}"),
        button("{{ url | default: 'https://example.com/news' }}", "Read more"),
        text(
          '<a href="{{ unsubscribeUrl }}">Unsubscribe</a> &middot; <a href="{{ preferencesUrl }}">Preferences</a>'
        )
      ].join("\n")
    ),
    text: `{{ headline | default: 'What is new' }}\n\n{{ story | default: 'Write the story here.' }}\n\nRead more: {{ url | default: 'https://example.com/news' }}\n\nUnsubscribe: {{ unsubscribeUrl }}\n`
  }
]
