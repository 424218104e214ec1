/**
 * The words of the hosted pages in Turkish.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const tr: PageTexts = {
  notFound: {
    title: "Bu bağlantı çalışmıyor",
    text: "Süresi dolmuş ya da bir kısmı eksik olabilir. Lütfen en son e-postadaki bağlantıyı kullanın."
  },
  outdated: {
    title: "Bu bağlantı artık geçerli değil",
    text: "Artık bu kayda ait olmayan bir adrese gönderilmişti. Hiçbir şey onaylanmadı. Lütfen en son e-postadaki bağlantıyı kullanın."
  },
  unavailable: {
    title: "Lütfen tekrar deneyin",
    text: "Şu anda bunu yapamıyoruz. Hiçbir şey değişmedi. Lütfen biraz sonra tekrar deneyin."
  },
  addressed: (email) => `${email} için`,
  confirm: {
    title: "Lütfen onaylayın",
    text: (name) => `Evet, ${name} e-postalarını almak istiyorum. İstediğim zaman abonelikten çıkabilirim.`,
    button: "Onayla"
  },
  subscribed: {
    title: "Aboneliğiniz tamamlandı",
    text: (name) => `Teşekkürler. ${name} e-postalarını alacaksınız.`
  },
  nothingToConfirm: {
    title: "Onaylanacak bir şey yok",
    text: (name) => `Bu ${name} e-posta kaydı artık onay beklemiyor.`
  },
  unsubscribed: {
    title: "Abonelikten çıktınız",
    text: (name) => `${name} bültenlerini ve tekliflerini artık almayacaksınız.`
  },
  unsubscribe: {
    title: "Abonelikten çık",
    text: (name) => `${name} bültenlerini ve tekliflerini almayı bırakmak istiyor musunuz?`,
    button: "Abonelikten çık"
  },
  preferences: {
    title: (name) => `${name} e-postaları`,
    saved: "Seçimleriniz kaydedildi.",
    topics: "Hangi konularda haber almak istersiniz?",
    save: "Kaydet",
    all: "Tüm e-postalar",
    stop: (name) => `Tüm ${name} bültenlerini ve tekliflerini durdurun.`,
    stopAll: "Tümünden çık",
    stopped: (name) =>
      `Abonelikten çıktınız: yukarıda ne seçilmiş olursa olsun ${name} bülteni veya teklifi almazsınız.`
  },
  mail: {
    subject: (name) => `Lütfen onaylayın: ${name} e-postaları`,
    text: (name) => `Lütfen ${name} e-postalarını almak istediğinizi onaylayın. Bağlantı 30 gün geçerlidir.`,
    ignore: "Kaydolmadıysanız bu e-postayı dikkate almayın: başka bir şey almayacaksınız."
  },
  links: { unsubscribe: "Abonelikten çık", preferences: "Tercihler" },
  webVersion: { changed: "Bu e-posta gönderildiğinde başka bilgiler gösteriyordu." }
}
