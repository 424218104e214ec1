/**
 * The frame of every screen that needs a session: the navigation, the account menu, the command palette and the shortcuts.
 *
 * @module
 */
import { Outlet, useRouterState } from "@tanstack/react-router"
import { Suspense, useEffect, useRef, useState } from "react"
import { lazyPart } from "../newVersion.ts"
import { languageOf } from "../../texts/texts.ts"
import { classes } from "../../lib/classes.ts"
import { IconButton } from "../../parts/form/Button.tsx"
import { Banner } from "../../parts/page/Banner.tsx"
import { ButtonLink } from "../../parts/form/Button.tsx"
import { LoadingLines } from "../../parts/page/Empty.tsx"
import { setLanguage, usePreferences } from "../preferences.ts"
import { useReader } from "../reader.tsx"
import styles from "./Shell.module.css"
import { EarlyPalette } from "./EarlyPalette.tsx"
import { FailedExtras } from "./FailedExtras.tsx"
import { Sidebar } from "./Sidebar.tsx"
import { useAccountOrNone, useSession } from "../session.ts"
import { useShortcuts } from "./shortcuts.ts"
import { useOnline } from "./online.ts"
import { usePreloading } from "./preloading.ts"

const loadPalette = () => import("./CommandPalette.tsx")

const CommandPalette = lazyPart(loadPalette, "CommandPalette")
const ShortcutsDialog = lazyPart(() => import("./ShortcutsDialog.tsx"), "ShortcutsDialog")

/** Applies the user's time zone, and the user's language unless one was chosen in this browser. */
const useUserSettings = (): void => {
  const { user } = useSession()
  const { setZone } = useReader()
  const { isChosen } = usePreferences()
  useEffect(() => setZone(user.timeZone), [setZone, user.timeZone])
  useEffect(() => {
    const language = languageOf(user.language)
    if (language !== null && !isChosen) setLanguage(language)
  }, [isChosen, user.language])
}

/**
 * Moves the focus to the title of the screen after a navigation, so that it is read aloud and the next key applies to the screen.
 */
const useBeginning = (): void => {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const before = useRef(path)
  useEffect(() => {
    const isFirst = before.current === undefined
    before.current = path
    if (isFirst || document.activeElement?.closest("main :not(h1), [role=dialog]") != null) return
    document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true })
  }, [path])
}

/** The frame. */
export const Shell = () => {
  const { texts } = useReader()
  const account = useAccountOrNone()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  /** The path at which the menu was opened; navigating elsewhere closes the menu. */
  const [openedAt, setOpenedAt] = useState<string | null>(null)
  const isMenuOpen = openedAt === path
  const [shown, setShown] = useState<"palette" | "shortcuts" | null>(null)
  const [typedEarly, setTypedEarly] = useState("")
  const isOnline = useOnline()
  const openPalette = () => {
    setTypedEarly("")
    setShown("palette")
  }
  useUserSettings()
  usePreloading()
  useBeginning()
  useShortcuts({ loadPalette, onPalette: openPalette, onHelp: () => setShown("shortcuts") })
  const isSandbox = account?.mode === "sandbox"
  return (
    <div className={classes(styles["shell"], isSandbox && styles["sandbox"])}>
      <a className={styles["skip"]} href="#content">
        {texts.nav.skip}
      </a>
      <header className={styles["bar"]}>
        <IconButton
          icon={isMenuOpen ? "close" : "menu"}
          label={isMenuOpen ? texts.nav.closeMenu : texts.nav.menu}
          aria-expanded={isMenuOpen}
          onClick={() => setOpenedAt(isMenuOpen ? null : path)}
        />
        <span className={styles["company"]}>{account?.company.name ?? texts.product}</span>
        <IconButton icon="search" label={texts.palette.title} onClick={openPalette} />
      </header>
      <div className={classes(styles["side"], isMenuOpen && styles["isOpen"])}>
        <Sidebar onSearch={openPalette} />
      </div>
      <main className={styles["main"]} id="content" tabIndex={-1}>
        {isSandbox && (
          <div className={styles["notice"]}>
            <span>{texts.nav.sandboxText}</span>
            <ButtonLink
              isSmall
              tone="quiet"
              to="/a/$accountId"
              params={{ accountId: account.company.live.accountId }}
            >
              {texts.nav.toLive}
            </ButtonLink>
          </div>
        )}
        <div className={styles["offline"]}>
          {isOnline ? <FailedExtras /> : <Banner tone="warning">{texts.errors.offline}</Banner>}
        </div>
        <div className={styles["screen"]}>
          <Suspense
            fallback={
              <div className={styles["loading"]}>
                <LoadingLines />
              </div>
            }
          >
            <Outlet />
          </Suspense>
        </div>
      </main>
      <Suspense
        fallback={
          shown === "palette" && <EarlyPalette onType={setTypedEarly} onClose={() => setShown(null)} />
        }
      >
        {shown === "palette" && (
          <CommandPalette
            typedEarly={typedEarly}
            onClose={() => setShown(null)}
            onHelp={() => setShown("shortcuts")}
          />
        )}
        {shown === "shortcuts" && <ShortcutsDialog onClose={() => setShown(null)} />}
      </Suspense>
    </div>
  )
}
