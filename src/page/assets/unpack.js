// Undoes the packing of the data: numbers in few signs, and repetitions.
const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+,-./:;=>?@[]^_{|}~";
const DIGITS = new Map([...SIGNS].map((sign, digit) => [sign, digit]));

class Numbers {
  constructor(text, at = 0) {
    this.text = text;
    this.at = at;
  }
  get more() {
    return this.at < this.text.length;
  }
  next() {
    for (let number = 0; ; ) {
      const digit = DIGITS.get(this.text[this.at++]);
      number = number * 44 + (digit % 44);
      if (digit < 44) return number;
    }
  }
  signed() {
    const number = this.next();
    return number % 2 ? -(number + 1) / 2 : number / 2;
  }
}

function unpack(text) {
  const out = [];
  const reader = new Numbers(text);
  while (reader.more) {
    const sign = text[reader.at++];
    if (sign !== "`") {
      out.push(sign);
      continue;
    }
    const back = reader.next();
    if (back === 0) {
      out.push("`");
      continue;
    }
    for (let n = reader.next() + 6; n > 0; n--) out.push(out[out.length - back]);
  }
  return out.join("");
}
