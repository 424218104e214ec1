/**
 * The areas of an account with their screens, in order. The navigation, the tabs, the commands and the shortcuts are derived from
 * them.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import type { InputOf, ReadRoute } from "../../api/call.ts"
import type { ListRoute } from "../../api/queries.ts"
import type { IconName } from "../../lib/icons.ts"
import type { Right } from "../../lib/rights.ts"
import type { Texts } from "../../texts/en.ts"
import type { ShownAccount } from "../session.ts"

/** The routes whose only required parameter is the account. */
type OfAccount<R extends ReadRoute> = {
  [One in R]: { readonly params: { readonly accountId: string } } extends InputOf<One> ? One : never
}[R]

/** A screen that has a tab in its area. */
export interface AreaScreen {
  readonly to: NonNullable<LinkProps["to"]>
  readonly name: (texts: Texts) => string
  /** The right required to see the screen; null if every member may see it. */
  readonly right: Right | null
  /** Where the right is required; in the current account by default. */
  readonly of?: "company"
  /** The account that has the screen; both accounts by default. */
  readonly mode?: ShownAccount["mode"]
  /** The list that the screen shows, with the filters of its address. It is read while the screen is loaded. */
  readonly list?: OfAccount<ListRoute>
  /** The resource that the screen shows, if it shows no list. It is read while the screen is loaded. */
  readonly one?: OfAccount<ReadRoute>
}

/** An entry of the navigation: an area, which leads to the first of its screens that the role may see. */
export interface Destination {
  readonly id: string
  readonly icon: IconName
  readonly name: (texts: Texts) => string
  /** The key pressed after `g`. */
  readonly key: string
  /** The screens. The addresses of the others begin with that of the first. */
  readonly screens: readonly [AreaScreen, ...ReadonlyArray<AreaScreen>]
}

/** A group of areas, set apart by a line. */
export type DestinationGroup = ReadonlyArray<Destination>

/** The operators' screen, which belongs to no account. */
export const installationScreen = {
  id: "installation",
  to: "/installation",
  icon: "server",
  name: ({ installation }: Texts) => installation.title,
  key: "i"
} as const

/** The areas of an account. */
export const accountAreas = [
  [
    {
      id: "home",
      icon: "home",
      name: ({ nav }) => nav.home,
      key: "h",
      screens: [{ to: "/a/$accountId", name: ({ nav }) => nav.home, right: null }]
    },
    {
      id: "emails",
      icon: "email",
      name: ({ nav }) => nav.emails,
      key: "e",
      screens: [
        {
          to: "/a/$accountId/emails",
          name: ({ mail }) => mail.tabs.emails,
          right: "emails:read",
          list: "GET /accounts/:accountId/emails"
        },
        {
          to: "/a/$accountId/emails/inbox",
          name: ({ mail }) => mail.tabs.inbox,
          right: "emails:read",
          mode: "sandbox",
          list: "GET /accounts/:accountId/inbox"
        }
      ]
    }
  ],
  [
    {
      id: "people",
      icon: "people",
      name: ({ people }) => people.title,
      key: "p",
      screens: [
        {
          to: "/a/$accountId/people",
          name: ({ people }) => people.tabs.contacts,
          right: "contacts:read",
          list: "GET /accounts/:accountId/contacts"
        },
        {
          to: "/a/$accountId/people/segments",
          name: ({ people }) => people.tabs.segments,
          right: "segments:read",
          list: "GET /accounts/:accountId/segments"
        },
        {
          to: "/a/$accountId/people/topics",
          name: ({ people }) => people.tabs.topics,
          right: "segments:read",
          list: "GET /accounts/:accountId/topics"
        },
        {
          to: "/a/$accountId/people/fields",
          name: ({ people }) => people.tabs.fields,
          right: "segments:read",
          one: "GET /accounts/:accountId/contact-attributes"
        },
        {
          to: "/a/$accountId/people/imports",
          name: ({ people }) => people.tabs.imports,
          right: "contacts:read",
          list: "GET /accounts/:accountId/imports"
        },
        {
          to: "/a/$accountId/people/jobs",
          name: ({ people }) => people.tabs.jobs,
          right: "contacts:read",
          list: "GET /accounts/:accountId/jobs"
        }
      ]
    },
    {
      id: "suppressions",
      icon: "block",
      name: ({ nav }) => nav.suppressions,
      key: "b",
      screens: [
        {
          to: "/a/$accountId/suppressions",
          name: ({ nav }) => nav.suppressions,
          right: "contacts:read",
          list: "GET /accounts/:accountId/suppressions"
        }
      ]
    }
  ],
  [
    {
      id: "campaigns",
      icon: "campaign",
      name: ({ nav }) => nav.campaigns,
      key: "m",
      screens: [
        {
          to: "/a/$accountId/campaigns",
          name: ({ nav }) => nav.campaigns,
          right: "campaigns:read",
          list: "GET /accounts/:accountId/campaigns"
        }
      ]
    },
    {
      id: "flows",
      icon: "flow",
      name: ({ flows }) => flows.title,
      key: "f",
      screens: [
        {
          to: "/a/$accountId/flows",
          name: ({ flows }) => flows.title,
          right: "flows:read",
          list: "GET /accounts/:accountId/flows"
        }
      ]
    },
    {
      id: "templates",
      icon: "template",
      name: ({ templates }) => templates.title,
      key: "t",
      screens: [
        {
          to: "/a/$accountId/templates",
          name: ({ templates }) => templates.title,
          right: "templates:read",
          list: "GET /accounts/:accountId/templates"
        },
        {
          to: "/a/$accountId/templates/images",
          name: ({ templates }) => templates.images,
          right: "templates:read",
          list: "GET /accounts/:accountId/images"
        }
      ]
    },
    {
      id: "stores",
      icon: "store",
      name: ({ commerce }) => commerce.title,
      key: "c",
      screens: [
        {
          to: "/a/$accountId/stores",
          name: ({ commerce }) => commerce.tabs.stores,
          right: "orders:read",
          list: "GET /accounts/:accountId/stores"
        },
        {
          to: "/a/$accountId/stores/orders",
          name: ({ commerce }) => commerce.tabs.orders,
          right: "orders:read",
          list: "GET /accounts/:accountId/orders"
        },
        {
          to: "/a/$accountId/stores/items",
          name: ({ commerce }) => commerce.tabs.items,
          right: "catalog:read",
          list: "GET /accounts/:accountId/items"
        }
      ]
    }
  ],
  [
    {
      id: "domains",
      icon: "globe",
      name: ({ domains }) => domains.title,
      key: "d",
      screens: [
        {
          to: "/a/$accountId/domains",
          name: ({ domains }) => domains.tabs.domains,
          right: "domains:read",
          list: "GET /accounts/:accountId/domains"
        },
        {
          to: "/a/$accountId/domains/standing",
          name: ({ domains }) => domains.tabs.standing,
          right: "stats:read"
        },
        {
          to: "/a/$accountId/domains/reports",
          name: ({ domains }) => domains.tabs.reports,
          right: "domains:read"
        }
      ]
    },
    {
      id: "developers",
      icon: "code",
      name: ({ developers }) => developers.title,
      key: "v",
      screens: [
        {
          to: "/a/$accountId/developers",
          name: ({ developers }) => developers.tabs.keys,
          right: "keys:read",
          one: "GET /accounts/:accountId/api-keys"
        },
        {
          to: "/a/$accountId/developers/requests",
          name: ({ developers }) => developers.tabs.requests,
          right: "requests:read",
          list: "GET /accounts/:accountId/requests"
        },
        {
          to: "/a/$accountId/developers/webhooks",
          name: ({ developers }) => developers.tabs.webhooks,
          right: "webhooks:read",
          list: "GET /accounts/:accountId/webhooks"
        },
        {
          to: "/a/$accountId/developers/events",
          name: ({ developers }) => developers.tabs.events,
          right: "events:read",
          list: "GET /accounts/:accountId/events"
        },
        {
          to: "/a/$accountId/developers/live",
          name: ({ developers }) => developers.tabs.live,
          right: "emails:read"
        },
        { to: "/a/$accountId/developers/smtp", name: ({ developers }) => developers.tabs.smtp, right: null },
        {
          to: "/a/$accountId/developers/reference",
          name: ({ developers }) => developers.tabs.reference,
          right: null
        }
      ]
    },
    {
      id: "settings",
      icon: "settings",
      name: ({ settings }) => settings.title,
      key: "s",
      screens: [
        {
          to: "/a/$accountId/settings",
          name: ({ settings }) => settings.tabs.account,
          right: "company:read",
          one: "GET /accounts/:accountId"
        },
        {
          to: "/a/$accountId/settings/company",
          name: ({ settings }) => settings.tabs.company,
          right: "company:read",
          of: "company"
        },
        {
          to: "/a/$accountId/settings/texts",
          name: ({ settings }) => settings.tabs.texts,
          right: "company:read",
          of: "company"
        },
        {
          to: "/a/$accountId/settings/members",
          name: ({ settings }) => settings.tabs.members,
          right: "members:read",
          of: "company"
        },
        {
          to: "/a/$accountId/settings/tokens",
          name: ({ settings }) => settings.tabs.tokens,
          right: "tokens:write",
          of: "company"
        },
        {
          to: "/a/$accountId/settings/relays",
          name: ({ settings }) => settings.tabs.relays,
          right: "relays:read",
          of: "company"
        },
        {
          to: "/a/$accountId/settings/audit-log",
          name: ({ settings }) => settings.tabs.audit,
          right: "audit:read",
          list: "GET /accounts/:accountId/audit-log"
        }
      ]
    }
  ]
] as const satisfies ReadonlyArray<DestinationGroup>

/** The id of an area. */
export type AreaId = (typeof accountAreas)[number][number]["id"]

/** An area of an account. */
export type Area = Destination & { readonly id: AreaId }

const areas: ReadonlyArray<Area> = accountAreas.flat()

/** The area that has a screen. */
export const areaOf = (screen: AreaScreen): Area =>
  areas.find(({ screens }) => screens.includes(screen)) ?? accountAreas[0][0]

/** The screen at an address, or the closest one above it. Addresses have `$accountId` for the account. */
export const screenOf = (address: string): AreaScreen | undefined =>
  areas
    .flatMap(({ screens }) => [...screens])
    .filter(({ to }) => address === to || address.startsWith(`${to}/`))
    .toSorted((a, b) => b.to.length - a.to.length)[0]

/** Whether the role may see a screen in an account. */
export const mayShow = (account: ShownAccount, { mode = account.mode, of, right }: AreaScreen): boolean =>
  mode === account.mode &&
  (right === null || (of === "company" ? account.canInCompany(right) : account.can(right)))

/** The screens of an area that the role may see in an account. */
export const screensOf = (account: ShownAccount, { screens }: Destination): ReadonlyArray<AreaScreen> =>
  screens.filter((screen) => mayShow(account, screen))

/** An area, with the address of the screen that the navigation leads to. */
export interface ShownArea extends Area {
  readonly to: AreaScreen["to"]
}

/**
 * The areas that the role may see in an account. An area counts only if it has more for the role than the screens of every
 * member.
 */
export const areasOf = (account: ShownAccount): ReadonlyArray<ReadonlyArray<ShownArea>> =>
  accountAreas.map((group: ReadonlyArray<Area>) =>
    group.flatMap((area) => {
      const shown = screensOf(account, area)
      const [first] = shown
      const isShown = area.screens[0].right === null || shown.some(({ right }) => right !== null)
      return first !== undefined && isShown ? [{ ...area, to: first.to }] : []
    })
  )
