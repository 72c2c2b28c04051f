import { strict as assert } from "node:assert";
import fc from "fast-check";
import { asksForSecret, namesSecret } from "./secret_words.ts";

Deno.test("O2 namesSecret() knows the names of secrets in any spelling, and leaves others", () => {
  const secrets = [
    ..."password dbPassword db_password2 API_KEY api-key access_token clientSecret key PIN pinCode pin_code pw PW pw1 pwd"
      .split(" "),
    ..."userPw dbPwd pass userPass OTP otp_code totp mfa mfaCode 2fa seed mnemonic passphrase token ssh_key"
      .split(" "),
    ..."passwort Kennwort wachtwoord lösenord salasana motDePasse contraseña clave senha chave hasło heslo şifre jelszó"
      .split(" "),
    ..."пароль κωδικός_πρόσβασης סיסמה 密码 パスワード 비밀번호 รหัสผ่าน ｐａｓｓｗｏｒｄ p_a_s_s_w_o_r_d".split(" "),
    "ssh key",
  ];
  const others = [
    ..."name issue_key max_tokens tokenCount token_type pinned keyboard primaryKey passed bypass_cache seeds seedling spinner"
      .split(" "),
    ..."compass passenger opinion shipping_address city color secretary pwa hotpot monkey bundle risk_low nickname"
      .split(" "),
  ];
  assert.deepStrictEqual([...secrets, ...others].filter(namesSecret), secrets);
});

Deno.test("O2 asksForSecret() knows texts that ask for a secret, and leaves others", () => {
  const secrets = [
    "GitHub password",
    "Type your p a s s - w o r d",
    "Enter your API token",
    "Paste a token here",
    "Which is your PIN?",
    "your pin, four digits",
    "The one-time code of your authenticator",
    "Enter the 2FA code",
    "Your pw for the database",
    "Give me your key",
    "your license key",
    "The 12 words of your seed phrase",
    "Client secret",
    "Bitte das Passwort eingeben",
    "Entrez votre mot de passe",
    "Introduzca su contraseña",
    "Introduce tu clave",
    "Digite a senha",
    "La chiave privata",
    "Podaj hasło",
    "Zadejte heslo",
    "Şifrenizi girin",
    "Nhập mật khẩu",
    "Введите пароль",
    "请输入密码",
    "パスワードを入力してください",
    "認証コード",
    "секретный ключ",
    "Κωδικός πρόσβασης",
    "비밀번호를 입력하세요",
    "أدخل كلمة المرور",
    "पासवर्ड दर्ज करें",
  ];
  const others = [
    "How many tokens may the answer have?",
    "The token limit of the summary",
    "Token name",
    "Do you want to pin this message?",
    "Did the tests pass?",
    "Which issue key?",
    "A seed for random numbers",
    "This has low risk",
    "Passing all words on",
    "What is your name?",
    "Which colour?",
    "¿Cuál es su nombre?",
    "Wie groß?",
  ];
  assert.deepStrictEqual([...secrets, ...others].filter(asksForSecret), secrets);
});

Deno.test("O2 a word of a secret is found in any text around it", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.constantFrom("password", "API key", "пароль", "密码"), (a, b, word) => {
      assert.ok(asksForSecret(`${a} ${word} ${b}`));
    }),
  );
});
