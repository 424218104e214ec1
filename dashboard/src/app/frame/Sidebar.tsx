/**
 * The navigation: the account menu, the screens, and the user menu.
 *
 * @module
 */
import { Link, useRouterState } from "@tanstack/react-router"
import { lazyPart } from "../newVersion.ts"
import { Icon } from "../../parts/page/Icon.tsx"
import { MenuButton } from "../../parts/overlay/MenuButton.tsx"
import { areasOf, installationScreen } from "./navigation.ts"
import { useTexts } from "../reader.tsx"
import styles from "./Sidebar.module.css"
import { type ShownAccount, useNavigationAccount, useCompanies, useSession } from "../session.ts"
import { classes } from "../../lib/classes.ts"

const AccountMenu = lazyPart(() => import("./AccountMenu.tsx"), "AccountMenu")
const UserMenu = lazyPart(() => import("./UserMenu.tsx"), "UserMenu")

const SwitchButton = ({
  account,
  ...rest
}: {
  readonly account: ShownAccount | null
  readonly onClick?: (() => void) | undefined
}) => {
  const texts = useTexts()
  const companies = useCompanies()
  const name = account?.company.name ?? companies[0]?.name ?? texts.product
  return (
    <button type="button" aria-haspopup="menu" {...rest} className={styles["switch"]}>
      <span className={styles["hidden"]}>{texts.nav.account}: </span>
      <span className={styles["mark"]} aria-hidden="true">
        {name.trim().charAt(0).toUpperCase()}
      </span>
      <span className={styles["names"]}>
        <span>{name}</span>
        {account !== null && (
          <span className={account.mode === "sandbox" ? styles["isSandbox"] : styles["isLive"]}>
            {texts.nav[account.mode]}
          </span>
        )}
      </span>
      <Icon name="updown" size={14} />
    </button>
  )
}

const UserButton = (rest: { readonly onClick?: (() => void) | undefined }) => {
  const texts = useTexts()
  const { user } = useSession()
  return (
    <button type="button" aria-haspopup="menu" {...rest} className={styles["switch"]}>
      <span className={styles["hidden"]}>{texts.nav.user}: </span>
      <span className={classes(styles["mark"], styles["isPerson"])} aria-hidden="true">
        {(user.name ?? user.email).trim().charAt(0).toUpperCase()}
      </span>
      <span className={styles["names"]}>
        <span>{user.name ?? user.email}</span>
      </span>
      <Icon name="more" size={14} />
    </button>
  )
}

/** The navigation. */
export const Sidebar = ({ onSearch }: { readonly onSearch: () => void }) => {
  const texts = useTexts()
  const account = useNavigationAccount()
  const { operator } = useSession()
  // The path being navigated to, before its screen is shown.
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(/\/$/, "") })
  return (
    <nav aria-label={texts.nav.label} className={styles["sidebar"]}>
      <MenuButton
        button={(open) => <SwitchButton account={account} onClick={open} />}
        menu={<AccountMenu trigger={<SwitchButton account={account} />} />}
      />
      <button type="button" className={styles["search"]} onClick={onSearch}>
        <Icon name="search" />
        <span>{texts.common.search}</span>
        <kbd aria-hidden="true">{navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <div className={styles["nav"]}>
        {account !== null &&
          areasOf(account).map(
            (group) =>
              group.length > 0 && (
                <ul key={group[0]?.id}>
                  {group.map(({ icon, id, name, screens: [{ to: top }], to }) => {
                    const place = top.replace("$accountId", account.id)
                    const isShown = path === place || (id !== "home" && path.startsWith(`${place}/`))
                    return (
                      <li key={id}>
                        <Link
                          to={to}
                          params={{ accountId: account.id }}
                          className={classes(styles["link"], isShown && styles["active"])}
                          // By itself, the link to Home would also be the current one on every screen below its address.
                          activeOptions={{ exact: true }}
                          activeProps={{}}
                          {...(isShown ? { "aria-current": "page" } : {})}
                        >
                          <Icon name={icon} />
                          {name(texts)}
                        </Link>
                      </li>
                    )
                  })}
                </ul>
              )
          )}
      </div>
      <div className={styles["end"]}>
        {operator && (
          <Link
            to={installationScreen.to}
            className={styles["link"]}
            activeProps={{ className: styles["active"], "aria-current": "page" }}
          >
            <Icon name={installationScreen.icon} />
            {installationScreen.name(texts)}
          </Link>
        )}
        <a className={styles["link"]} href="/docs" target="_blank" rel="noreferrer">
          <Icon name="external" />
          {texts.nav.documentation}
        </a>
        <MenuButton
          button={(open) => <UserButton onClick={open} />}
          menu={<UserMenu trigger={<UserButton />} />}
        />
      </div>
    </nav>
  )
}
