/** Small projects by language: two files, and one uses the other. */
export const projects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  typescript: {
    'src/store.ts': `import { Base } from './base.js'
/** The most that is kept. More words. */
export const LIMIT = 42
export interface Shape { area(): number }
export class Store extends Base implements Shape {
  constructor(private readonly db: Database) { super() }
  area() { return this.helper(LIMIT) }
  private helper(size: number) { this.db.query(); this.shared(); return size }
}
export class Database { query() { return 1 } }
export default function openStore() { return new Store(new Database()) }
enum Color { Red = 1, Green }
app.get('/users/:id', () => openStore())`,
    'src/base.ts': 'export class Base { shared() { return true } }',
    'src/index.ts': `export { Store as Shop } from './store.js'\nexport * from './base.js'`,
    'src/use.ts': `import openStore, { Store as Kept } from './store.js'
import { Shop, Base } from './index.js'
import { area } from 'elsewhere'
import * as store from './store.js'
export const useAll = (thing: unknown) => {
  const kept: Kept = openStore()
  kept.area()
  new Shop()
  new Base()
  store.openStore()
  area()
  thing.query()
  function openHere(Shop: () => void) { Shop() }
  openHere()
}`,
  },
  tsx: {
    'button.tsx': 'export function Button() { return <div /> }',
    'page.tsx': `import { Button } from './button'\nexport const Page = () => <Button />`,
  },
  javascript: {
    'lib/read.js': `function read() { return parse() }
function parse() {}
class Reader { read() { return read() } }
module.exports = { read, Reader }`,
    'main.js': `const { read: take, Reader } = require('./lib/read')
const lib = require('./lib/read.js')
take()
lib.read()
const reader = new Reader()
reader.read()`,
  },
  python: {
    'shop/__init__.py': 'from .store import Store',
    'shop/store.py': `"""Stores."""
from .base import Base
LIMIT = 10
class Store(Base):
    """Keeps things. And more."""
    def __init__(self, db: Database):
        self.db = Database()
    def open(self):
        self.close()
        self.shared()
        self.db.query(LIMIT)
        return [helper(each) for each in self.things]
    def close(self): pass
class Database:
    def query(self, limit): pass
def helper(each): return each
@app.get("/items")
def items(): return helper(1)`,
    'shop/base.py': 'class Base:\n    def shared(self): pass',
    'use.py': `from shop import Store
import shop.store
import os
def use(helper):
    store = Store()
    store.open()
    shop.store.helper(1)
    helper(2)
    os.getcwd()
    store.db.close()`,
  },
  go: {
    'go.mod': 'module example.com/shop\n',
    'store/store.go': `package store
import "example.com/shop/util"
// Max is the most. Truly.
const Max = 10
type Store struct { Base }
type Opener interface { Open() error }
func (s *Store) Open() error { s.close(); s.Shared(); util.Do(); return helper(Max) }
func helper(size int) error { return nil }`,
    'store/base.go': `package store
type Base struct{}
func (b *Base) Shared() {}
func (s *Store) close() {}`,
    'util/util.go': 'package util\nfunc Do() {}\nfunc undo() {}',
  },
  rust: {
    'src/lib.rs': `mod base;
use crate::base::{Base, helper as help};
/// The most. Truly.
pub const MAX: u32 = 10;
pub struct Store { base: Base }
pub trait Opener { fn open(&self); }
impl Opener for Store {
    fn open(&self) { self.close(); self.base.shared(); help(MAX); crate::base::helper(1); let b = Base::new(); b.shared(); }
}
impl Store { fn close(&self) {} }
enum Color { Red = 1, Green }`,
    'src/base.rs': `pub struct Base {}
impl Base { pub fn new() -> Self { Base {} } pub fn shared(&self) {} }
pub fn helper(size: u32) -> u32 { size }`,
  },
  java: {
    'src/com/acme/Store.java': `package com.acme;
import com.acme.util.Helper;
/** Keeps things. Truly. */
public class Store extends Base implements Opener {
  public static final int LIMIT = 10;
  private final Helper helper = new Helper();
  @GetMapping("/items")
  public int open(int size) { close(); shared(); helper.run(LIMIT); Helper.make(); return size; }
  private void close() {}
  enum Color { RED, GREEN }
}`,
    'src/com/acme/Base.java': 'package com.acme;\npublic class Base { protected void shared() {} }',
    'src/com/acme/Opener.java': 'package com.acme;\npublic interface Opener { int open(int size); }',
    'src/com/acme/util/Helper.java': `package com.acme.util;
public class Helper { public void run(int size) {} public static Helper make() { return new Helper(); } }`,
  },
  csharp: {
    'Store.cs': `using Acme.Util;
namespace Acme.Shop {
/// <summary>Keeps things.</summary>
public class Store : Base {
  public const int Limit = 10;
  private readonly Helper _helper;
  public int Open(Helper other) { Close(); Shared(); _helper.Run(Limit); Helper.Make(); other.Run(1); return 1; }
  private void Close() {}
}
enum Color { Red = 1, Green }
}`,
    'Base.cs': 'namespace Acme.Shop;\npublic class Base { protected void Shared() {} }',
    'Helper.cs': `namespace Acme.Util;
public class Helper { public void Run(int size) {} public static Helper Make() { return new Helper(); } }`,
  },
  cpp: {
    'store.h': `#pragma once
class Base { public: void shared() {} };
class Store : public Base { public: int open(int size); private: void close() {} };
int helper(int size);`,
    'store.cpp': `#include "store.h"
#define MAX 10
// Opens it. Truly.
int Store::open(int size) { close(); this->close(); shared(); return helper(MAX); }
static int local(Store *store) { return store->open(1); }`,
    'helper.cpp': '#include "store.h"\nint helper(int size) { return size; }',
  },
  ruby: {
    'store.rb': `require_relative 'base'
module Acme
  # Keeps things. Truly.
  class Store < Base
    LIMIT = 10
    def open(size)
      close
      shared
      Helper.make(LIMIT)
    end
    def close; end
  end
  class Helper
    def self.make(size); end
  end
end`,
    'base.rb': 'class Base\n  def shared; end\nend',
  },
  php: {
    'src/Store.php': `<?php
namespace Acme\\Shop;
use Acme\\Util\\Helper;
const TOP = 1;
/** Keeps things. Truly. */
class Store extends Base {
  const LIMIT = 10;
  public function __construct(private Helper $helper) {}
  public function open(Helper $other) { $this->close(); $this->shared(); $this->helper->run(self::LIMIT); $other->run(1); Helper::make(); return total(1); }
  private function close() {}
}
function total($size) { return TOP; }`,
    'src/Base.php': '<?php\nnamespace Acme\\Shop;\nclass Base { function shared() {} }',
    'src/Helper.php': `<?php
namespace Acme\\Util;
class Helper { function run($size) {} static function make() {} }`,
  },
  bash: {
    'run.sh': `#!/bin/bash
. ./lib.sh
MAX=10
# Says hello. Truly.
hello() { local name=you; world "$MAX"; shared; }
world() { echo "$1"; }
hello`,
    'lib.sh': 'shared() { :; }',
  },
  kotlin: { 'Store.kt': 'class Store {\n  private fun close() {}\n}\nfun helper() {}' },
}
