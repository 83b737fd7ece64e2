import type { SearchWords } from './language.ts';

export const japaneseWords = (): SearchWords => ({
  framing: `どこ 何処 いつ 誰 だれ 何 なに なん どう どの どれ どんな どちら なぜ どうして いくつ いくら 何時 何歳 何人 何回 何曜日 何年 何月 何日 何番 教え
    教えて 言った 言って 話した 覚えて 知って 知り わかる 分かる できる 今 現在 最近 名前 名 呼び 呼ん する した して いる ある です ます でした だった べき 種類
    この前 まだ 自分 何か 普段 いつも 一番 今の どのくらい どれくらい 頃 ごろ くらい 方 人 時 日 物 もの 所 的 目 行 来 使 持 言 何の`,
  common: `日 週 週間 月 年 時間 分 時 朝 午前 午後 夜 昼 毎日 毎週 良 新 新しい 古い 大きい 小さい 最初 最後 次 行 来 使 必要 残 見つ 全部 全て 二 三 男 女 人
    物 部分 側 場所 番号 早 遅 重要 一緒 置 約 よく 思 好き 多 少`,
  asks: {
    place: /(?:どこ|何処|どの(?:街|町|国|都市|駅|辺)|住所)/u,
    time: /(?:いつ|何時|何曜日|何日|何月|何年|日付)/u,
    number: /(?:いくつ|いくら|何(?:人|歳|回|個|匹|冊|番|年|時間|キロ|センチ)|どのくらい|どれくらい|番号)/u,
    name: /(?:誰|だれ|名前|何という|なんという)/u,
  },
  past: /(?:以前|前は|前の|昔|かつて|元々|もともと|最初は|当時|住んでいた|働いていた|だった頃)/u,
  isUnspaced: true,
  meanings: `
    live: 住 住所 住まい 引っ越 引越 引っ越し 転居 暮 在住 自宅
    flat: マンション アパート 部屋 家
    work: 仕事 働 勤 勤務 職業 会社 職場 就職 転職 職 勤め先 勤務先 入社
    boss: 上司 部長 課長 社長 店長
    colleague: 同僚 先輩 後輩
    study: 勉強 大学 専攻 学部 学 大学院 修士 専門
    school: 学校 小学校 中学校 高校 学年 保育園 幼稚園
    partner: 夫 妻 旦那 嫁 主人 奥さん 彼氏 彼女 恋人 婚約者 配偶者
    child: 子供 子ども お子さん > 息子 娘 双子 赤ちゃん 長男 長女
    mother: 母 お母さん 母親
    father: 父 お父さん 父親
    parents: 両親 親 > 母 父
    sibling: 兄弟 きょうだい > 姉 妹 兄 弟
    grandmother: 祖母 おばあちゃん
    grandfather: 祖父 おじいちゃん
    family: 家族 親戚 > 母 父 姉 妹 兄 弟 息子 娘
    pet: ペット 動物 飼 > 犬 猫 ハムスター うさぎ 鳥 インコ 金魚 亀
    dog: 犬 子犬 愛犬 > 柴犬 プードル ラブラドール チワワ
    cat: 猫 子猫 愛猫
    birthday: 誕生日 生まれ 誕生
    age: 年齢 歳
    phone: 電話 携帯 スマホ 電話番号 > iphone pixel
    mail: メール アドレス
    car: 車 自動車 運転 愛車 > トヨタ テスラ ホンダ プリウス 日産
    bike: 自転車 > ロードバイク
    commute: 通勤 通学 > 電車 バス 地下鉄 自転車
    like: 好き 大好き 好物 お気に入り 好み
    hate: 嫌い 苦手 嫌
    eat: 食 食事 食べ物 料理 ご飯 夕食 昼食 好物 > ラーメン 寿司 カレー うどん 蕎麦 パスタ
    drink: 飲 飲み物 > コーヒー お茶 ビール 紅茶 酒 水
    breakfast: 朝食 朝ご飯 朝ごはん > パン 味噌汁 納豆
    allergy: アレルギー 食物アレルギー
    diet: ベジタリアン 菜食 ヴィーガン 食事制限
    doctor: 医者 医師 先生 病院 かかりつけ > 歯医者 皮膚科 眼科 内科
    dentist: 歯医者 歯科 歯科医
    medicine: 薬 服用 錠剤 飲
    illness: 病気 持病 患 > 糖尿病 喘息 高血圧 片頭痛
    sport: 運動 スポーツ トレーニング ジム > ランニング 水泳 サッカー テニス ヨガ バレーボール 登山 野球 卓球
    run: ランニング 走 マラソン ジョギング
    hobby: 趣味 余暇 休日 > 絵 写真 陶芸 編み物 収集 園芸 将棋 囲碁 ダンス 釣り
    instrument: 楽器 弾 演奏 吹 > ピアノ ギター バイオリン チェロ フルート ドラム トランペット
    music: 音楽 歌 歌手 バンド 聴
    read: 読 本 小説 作家 読書
    film: 映画 ドラマ アニメ 観
    game: ゲーム 遊
    language: 言語 言葉 話 母語 外国語 習 > 日本語 英語 フランス語 ドイツ語 スペイン語 中国語 韓国語 イタリア語
    travel: 旅行 旅 休暇 出張 便 飛行機
    money: 給料 月給 年収 収入 給与
    price: 値段 価格 費用 円 払 料金 家賃
    bank: 銀行 口座
    insurance: 保険
    rent: 家賃 大家 賃貸
    meeting: 会議 ミーティング 打ち合わせ 予約 面談
    deadline: 締切 締め切り 期限 提出
    begin: 始ま 開始 始
    end: 終わ 終了
    open: 営業 開店 開 閉
    wake: 起 起床 目覚まし
    sleep: 寝 睡眠 就寝
    wedding: 結婚 結婚式 結婚記念日 入籍
    buy: 買 購入
    gift: プレゼント 贈 お祝い
    clothes: 服 > 靴 ズボン シャツ ジャケット
    size: サイズ 身長 センチ
    color: 色 > 赤 青 緑 黄色 黒 白 紫
    computer: パソコン ノートパソコン pc > macbook thinkpad
    editor: エディタ エディター > vim neovim emacs vscode
    system: os > linux ubuntu windows macos
    programming: プログラミング 言語 コード 開発 > python rust typescript java go kotlin
    database: データベース > postgresql postgres mysql sqlite
    server: サーバー サーバ ホスティング > aws
    password: パスワード 暗証番号
    wifi: wifi ネット 回線
    project: プロジェクト 案件
    customer: 顧客 お客様 取引先 クライアント
    weekday: 曜日 > 月曜 火曜 水曜 木曜 金曜 土曜 日曜 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日
    garden: 庭 ベランダ 植物 家庭菜園 > トマト バラ
    meat: 肉 > 鶏肉 牛肉 豚肉
    alcohol: 酒 アルコール > ビール ワイン 日本酒
    fruit: 果物 フルーツ > りんご いちご バナナ
    city: 街 都市 町
    country: 国 出身
    grow: 出身 育 生まれ 地元 実家 故郷
    club: クラブ サークル 合唱団 部活 会員
    volunteer: ボランティア
    course: 講座 教室 レッスン 習 授業
    glasses: 眼鏡 メガネ コンタクト 視力
    fear: 怖 恐怖 苦手
    smoke: タバコ たばこ 煙草 喫煙 禁煙
    hairdresser: 美容師 美容院 床屋
    therapist: カウンセラー 整体 理学療法士
    repair: 修理 整備 修理工場
    key: 鍵 合鍵
    office: オフィス 事務所 在宅 リモート
    parking: 駐車場 車庫 駐車
    cook: 料理 作 レシピ 得意料理
    collect: 集 収集 コレクション
    neighbor: 隣人 近所 隣
    sick: 病気 怪我 骨折 手術
    restaurant: レストラン 店 喫茶店 カフェ 食堂
    shop: 店 スーパー
    teacher: 先生 教師 コーチ 講師
    newspaper: 新聞 購読 雑誌
    save: 貯金 貯蓄
    religion: 宗教 信仰 > 仏教 キリスト教 神道
    license: 免許 パスポート 旅券 免許証
    blood: 血液型
    weight: 体重 キロ
    goal: 目標 計画 予定
    leader: 担当 率 責任者
    profession: 職業 仕事 勤 働 職 生計 > 看護師 医師 教師 教員 エンジニア 大工 料理人 パン職人 弁護士 会計士 経理 プログラマー 建築家 デザイナー 記者 販売員 助産師 獣医 薬剤師 電気工 庭師 写真家 警察官 美容師 司書 研究者 翻訳者 編集者 公務員 フリーランス ガイド 介護士
    tax: 税金 確定申告 税理士
    notes: メモ ノート 記録 > obsidian notion
    backup: バックアップ ディスク
    nickname: あだ名 愛称 ニックネーム
    shift: シフト 夜勤 日勤 勤務時間
    snack: おやつ お菓子 > チョコレート せんべい
    dessert: デザート ケーキ 甘い物 スイーツ
    podcast: ポッドキャスト
    donate: 寄付 募金
    team: チーム ファン 応援
    together: ルームメイト 同居
    thesis: 論文 卒論 博士
    injury: 怪我 膝 腰 肩 骨折 手術
    train: 電車 新幹線
    delivery: 荷物 宅配 注文
    answer: 返事 回答 簡潔 短`,
});
