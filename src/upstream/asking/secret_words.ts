/** Whether a form asks for a secret, by common words of some languages; a server can evade it. Pure. */

/** Found in any text, with any characters between the letters; accents are ignored. */
const ANYWHERE = new RegExp(
  [
    "password|passwd|passphrase|passcode|credential|mnemonic",
    "(?:access|api|auth|bearer|refresh|session)(?:key|token)|(?:license|master|private|recovery|secret|signing|ssh)key",
    "(?:auth|authenticator|authentication|backup|login|onetime|otp|pin|recovery|security|sms|verification)code",
    "pinnumber|(?:recovery|seed)phrase|seedwords|yourseed|sessioncookie",
    // German, Dutch, Swedish, Danish, Norwegian, Finnish
    "passwort|kennwort|geheimzahl|geheimnummer|zugangsdaten|(?:api|privater|privaten|zugangs)schlussel",
    "wachtwoord|toegangscode|losenord|adgangskode|passord|salasana",
    // French, Spanish, Portuguese, Italian
    "motdepasse|codesecret|cle(?:api|privee|secrete)|contrasena|palavrapasse|paroladordine",
    "(?:clave|chave|chiave)(?:(?:de)?(?:acceso|acesso|api)|privad?a|privata|secreta|segreta)|(?:su|tu)clave",
    // Turkish, Hungarian, Croatian, Vietnamese, Indonesian and Malay
    "sifreniz|jelszo|lozink|matkhau|kata(?:sandi|laluan)",
    // Russian, Ukrainian, Serbian, Greek
    "парол|секретныиключ|лозинк|κωδικο[σς]?προσβασης|συνθηματικο",
    // Arabic, Persian, Hebrew, Hindi, Thai
    "كلمةالمرور|كلمةالسر|رمزعبور|گذرواژه|סיסמ|पासवर्ड|รหัสผ่าน",
    // Chinese, Japanese, Korean
    "密码|密碼|口令|验证码|驗證碼|密钥|密鑰|助记词|助記詞|令牌|パスワード|暗証番号|秘密鍵|認証コード|비밀번호|암호|인증번호",
  ].join("|"),
);
/** Whole words of a text. */
const WORD =
  /^(?:pw|pwd|pswd|[a-z]?otp|mfa|2fa|cvv|cvc|secrets?|hasl[oae]|hasłe?[oam]|hesl[oa]|senhas?|sifre|parolan\w*)$/;
/** A personal identification number, not the verb "pin". */
const PIN = /\bPINs?\b|\b(?:your|digit|card|sim)[ -]pins?\b/;
/** One token, not a measure of text or a description of one. */
const TOKEN = /\btoken\b(?!\s+(?:address|budget|count|kind|limit|name|size|symbol|type|usage|window)s?\b)/i;
const YOUR_KEY = /\byour\s+(?:\w+\s+)?keys?\b/i;
/** Words that a whole name, or its end, may be, and that mean other things within texts. */
const NAME = /^(?:key|seed)$|(?:^|\s)(?:pass|pin|token|clave|chave|parola)$|(?:^|\s)pin\s/;

/** Whether a text for a person asks for a secret. */
export function asksForSecret(text: string): boolean {
  return hasSecretWord(text) || PIN.test(text) || TOKEN.test(text) || YOUR_KEY.test(text);
}

/** Whether a field has the name of a secret, in any spelling: `dbPassword`, `API_KEY`, `otp-2`. */
export function namesSecret(name: string): boolean {
  const words = name.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  const plain = withoutAccents(words).replaceAll(/[^\p{L}\p{M}]+/gu, " ").trim();
  return hasSecretWord(words) || hasSecretWord(plain) || NAME.test(plain);
}

function hasSecretWord(text: string): boolean {
  const words = withoutAccents(text).split(/[^\p{L}\p{M}\p{N}]+/u);
  return ANYWHERE.test(words.join("")) || words.some((word) => WORD.test(word));
}

/** In small letters; the marks of other scripts, which are letters there, stay. */
function withoutAccents(text: string): string {
  return text.normalize("NFKD").replaceAll(/[\u0300-\u036f]/g, "").normalize("NFC").toLowerCase();
}
