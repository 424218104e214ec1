/**
 * The screens that the navigation, the commands and the shortcuts lead to, in order.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import type { IconName } from "../../lib/icons.ts"
import type { Texts } from "../../texts/en.ts"

/** A screen of the navigation. */
export interface Destination {
  readonly id: string
  readonly to: NonNullable<LinkProps["to"]>
  readonly icon: IconName
  readonly name: (texts: Texts) => string
  /** The right without which it is not shown; null where every member may see it. */
  readonly right: string | null
  /** The letter after `g`. */
  readonly key: string
}

/** A group of screens, with a line above it. */
export type DestinationGroup = ReadonlyArray<Destination>

/** The screen of operators, which is of no account. */
export const installationScreen: Destination = {
  id: "installation",
  to: "/installation",
  icon: "server",
  name: ({ installation }) => installation.title,
  right: null,
  key: "i"
}

/** The screens of an account. */
export const accountScreens: ReadonlyArray<DestinationGroup> = [
  [
    { id: "home", to: "/a/$accountId", icon: "home", name: ({ nav }) => nav.home, right: null, key: "h" },
    {
      id: "emails",
      to: "/a/$accountId/emails",
      icon: "email",
      name: ({ nav }) => nav.emails,
      right: "emails:read",
      key: "e"
    }
  ],
  [
    {
      id: "people",
      to: "/a/$accountId/people",
      icon: "people",
      name: ({ areas }) => areas.people,
      right: "contacts:read",
      key: "p"
    },
    {
      id: "suppressions",
      to: "/a/$accountId/suppressions",
      icon: "block",
      name: ({ nav }) => nav.suppressions,
      right: "contacts:read",
      key: "b"
    }
  ],
  [
    {
      id: "campaigns",
      to: "/a/$accountId/campaigns",
      icon: "campaign",
      name: ({ areas }) => areas.campaigns,
      right: "campaigns:read",
      key: "m"
    },
    {
      id: "flows",
      to: "/a/$accountId/flows",
      icon: "flow",
      name: ({ areas }) => areas.flows,
      right: "flows:read",
      key: "f"
    },
    {
      id: "templates",
      to: "/a/$accountId/templates",
      icon: "template",
      name: ({ areas }) => areas.templates,
      right: "templates:read",
      key: "t"
    },
    {
      id: "stores",
      to: "/a/$accountId/stores",
      icon: "store",
      name: ({ areas }) => areas.stores,
      right: "orders:read",
      key: "c"
    }
  ],
  [
    {
      id: "domains",
      to: "/a/$accountId/domains",
      icon: "globe",
      name: ({ areas }) => areas.domains,
      right: "domains:read",
      key: "d"
    },
    {
      id: "developers",
      to: "/a/$accountId/developers",
      icon: "code",
      name: ({ areas }) => areas.developers,
      right: "webhooks:read",
      key: "v"
    },
    {
      id: "settings",
      to: "/a/$accountId/settings",
      icon: "settings",
      name: ({ areas }) => areas.settings,
      right: "company:read",
      key: "s"
    }
  ]
]
