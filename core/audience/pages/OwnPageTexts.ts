/**
 * The use case of a company's own texts: on its hosted pages, in its emails that ask for confirmation, and for the links that are
 * added to marketing email.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { noAccount, type OwnTexts } from "../../model/Account.ts"
import type { Actor } from "../../model/Actor.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { deepEqual } from "../../shared/Json.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { type GivenTexts, isOwnLanguage, maxOwnLanguages, parseOwnTexts } from "./OwnTextRules.ts"
import { pageLanguages, type TextChoice, textChoices } from "./PageLanguages.ts"

/** A text, and the company's own text that replaces it; null for none. */
export interface ReplacedText extends TextChoice {
  readonly own: string | null
}

/** The texts of a language. */
export interface LanguageTexts {
  readonly language: string
  /** Whether the service has texts in it. If not, texts that the company lacks are English. */
  readonly isBuiltIn: boolean
  readonly texts: ReadonlyArray<ReplacedText>
}

/** The texts of a language, with those of a company that replace them. */
const textsOf = (language: string, own: OwnTexts): LanguageTexts => {
  const replaced = Object.hasOwn(own, language) ? own[language]! : {}
  return {
    language,
    isBuiltIn: !isOwnLanguage(language),
    texts: textChoices(language).map((choice) => ({
      ...choice,
      own: Object.hasOwn(replaced, choice.key) ? replaced[choice.key]! : null
    }))
  }
}

/** The texts of a company in every language: the languages of the service, then those that the company added. */
export const companyTexts = (own: OwnTexts): ReadonlyArray<LanguageTexts> =>
  [...pageLanguages, ...Object.keys(own).filter(isOwnLanguage).toSorted()].map((language) =>
    textsOf(language, own)
  )

/** Finds the own texts of an account's company; none if there is no such account. */
export const ownTextsFinder = Effect.map(AccountStore, (accounts) =>
  Effect.fn("OwnPageTexts.find")(function* (accountId: string) {
    const [account] = yield* accounts.find([accountId])
    const [company] = account === undefined ? [] : yield* accounts.findCompanies([account.companyId])
    return company?.pageTexts ?? {}
  })
)

/** Replaces a company's own texts. */
export class OwnPageTexts extends Context.Service<
  OwnPageTexts,
  {
    /**
     * Replaces a company's own texts in a language. Without any, the service's texts apply again; a language that the service
     * lacks is removed. validation.*, common.not_found.
     */
    readonly set: (
      companyId: string,
      language: string,
      texts: GivenTexts,
      actor: Actor
    ) => Effect.Effect<LanguageTexts, Problem | Unavailable>
  }
>()("svc/audience/OwnPageTexts") {
  static readonly layer = Layer.effect(
    OwnPageTexts,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const store = yield* AccountStore
      const { record } = yield* AuditTrail

      return OwnPageTexts.of({
        set: Effect.fn("OwnPageTexts.set")(function* (companyId, tag, given, actor) {
          const { language, texts } = yield* Effect.fromResult(parseOwnTexts(tag, given))
          return yield* atomically(
            Effect.gen(function* () {
              const [company] = yield* store.lockCompanies([companyId])
              if (company === undefined) return yield* Problem.of("common.not_found")
              const { [language]: before = {}, ...others } = company.pageTexts
              const isEmpty = Object.keys(texts).length === 0
              const pageTexts: OwnTexts = isEmpty ? others : { ...others, [language]: texts }
              if (Object.keys(pageTexts).filter(isOwnLanguage).length > maxOwnLanguages) {
                return yield* Problem.of("validation.range", "language", { max: maxOwnLanguages })
              }
              if (!deepEqual(before, texts)) {
                yield* store.saveCompany({ ...company, pageTexts })
                yield* record(actor, {
                  accountId: noAccount,
                  companyId,
                  action: "page_texts.changed",
                  target: companyId,
                  before: { language, texts: before },
                  after: { language, texts }
                })
              }
              return textsOf(language, pageTexts)
            })
          )
        })
      })
    })
  )
}
